import Testing

/// The tests in real Chromium, one after the other: two at once take longer than two in a row.
/// Screenshots of what they see go to the folder that `ONESHEET_SCREENSHOTS` names, if it does.
@Suite(
    "In the browser", .serialized, .enabled(if: Browser.program != nil, "needs Chromium"),
    SharedBrowser())
enum InBrowser {}
