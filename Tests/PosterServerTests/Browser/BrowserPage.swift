import Foundation

/// One page in a browser, with cookies and storage of its own, and what went wrong in it.
final class BrowserPage {
    let browser: Browser
    private let context: String
    private let session: String
    /// The addresses of all requests so far.
    private(set) var requests: [String] = []
    /// Errors on the console, uncaught exceptions, and what the browser logged as an error.
    private(set) var errors: [String] = []

    /// Opens an empty page of CSS pixels at a density.
    init(
        _ browser: Browser, width: Int = 1200, height: Int = 800, density: Int = 1,
        isDark: Bool = false, runsScripts: Bool = true
    ) throws {
        self.browser = browser
        let made = try browser.call("Target.createBrowserContext")
        context = made["browserContextId"] as? String ?? ""
        let target = try browser.call(
            "Target.createTarget", ["url": "about:blank", "browserContextId": context])
        let attached = try browser.call(
            "Target.attachToTarget", ["targetId": target["targetId"] ?? "", "flatten": true])
        session = attached["sessionId"] as? String ?? ""
        for domain in ["Page", "Runtime", "Network", "Log", "Accessibility"] {
            try call("\(domain).enable")
        }
        try call(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": width, "height": height, "deviceScaleFactor": density,
                "mobile": width < 500,
            ])
        try prefer(dark: isDark)
        if !runsScripts { try call("Emulation.setScriptExecutionDisabled", ["value": true]) }
    }

    deinit {
        _ = try? browser.call("Target.disposeBrowserContext", ["browserContextId": context])
        _ = browser.takeEvents(of: session)
    }

    /// Runs a command in the page.
    @discardableResult
    func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        defer { notice(browser.takeEvents(of: session)) }
        return try browser.call(method, parameters, session: session)
    }

    /// Switches to the dark or the light scheme, in place, with reduced motion in both.
    func prefer(dark isDark: Bool) throws {
        try call(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"],
                    ["name": "prefers-reduced-motion", "value": "reduce"],
                ]
            ])
    }

    /// Goes to an address and waits until it is loaded.
    func visit(_ address: String) throws {
        try call("Page.navigate", ["url": address])
        try wait(for: "the page to load", "document.readyState === 'complete'")
    }

    /// The value of an expression, or of the promise that it gives.
    func evaluate(_ expression: String) throws -> Any? {
        let answer = try call(
            "Runtime.evaluate",
            ["expression": expression, "returnByValue": true, "awaitPromise": true])
        if let details = answer["exceptionDetails"] as? [String: Any] {
            throw Browser.Failure(description: "\(expression): \(details)")
        }
        return (answer["result"] as? [String: Any])?["value"]
    }

    func text(_ expression: String) throws -> String { try evaluate(expression) as? String ?? "" }

    func number(_ expression: String) throws -> Double {
        (try evaluate(expression) as? NSNumber)?.doubleValue ?? .nan
    }

    func isTrue(_ expression: String) throws -> Bool { try evaluate(expression) as? Bool ?? false }

    /// Waits until an expression is true. Between two looks the page has a frame of time.
    func wait(for what: String, _ expression: String) throws {
        let pause = "new Promise((done) => setTimeout(() => done(!!(\(expression))), 15))"
        try browser.wait(for: "\(what) (\(expression))") {
            do { return try isTrue(pause) ? true : nil } catch is Browser.Failure {
                // A page that is left in the middle of the question.
                return nil
            }
        }
    }

    /// Waits until the part of the page is in a state, and its pictures have come.
    func wait(forState state: String) throws {
        try wait(for: state, "document.getElementById('part')?.dataset.state === '\(state)'")
        try wait(
            for: "pictures",
            "[...document.images].every((img) => img.complete || img.loading === 'lazy')")
    }

    /// The document as HTML, for a page that runs no scripts; empty while it is replaced.
    var html: String {
        get throws {
            do {
                let document = try call("DOM.getDocument", ["depth": 0])["root"] as? [String: Any]
                let answer = try call("DOM.getOuterHTML", ["nodeId": document?["nodeId"] ?? 0])
                return answer["outerHTML"] as? String ?? ""
            } catch is Browser.Failure { return "" }
        }
    }

    /// Presses a key.
    func press(_ key: String, code: Int) throws {
        for type in ["keyDown", "keyUp"] {
            try call(
                "Input.dispatchKeyEvent",
                [
                    "type": type, "key": key, "code": key, "windowsVirtualKeyCode": code,
                    "text": key == "Enter" ? "\r" : "",
                ])
        }
    }

    /// Cuts the page off from the network, or not.
    func goOffline(_ isOffline: Bool) throws {
        try call(
            "Network.emulateNetworkConditions",
            [
                "offline": isOffline, "latency": 0, "downloadThroughput": -1,
                "uploadThroughput": -1,
            ])
    }

    /// Writes a picture of the window to a folder that the environment names, for people.
    func keepScreenshot(_ name: String) throws {
        guard let folder = ProcessInfo.processInfo.environment["ONESHEET_SCREENSHOTS"] else {
            return
        }
        let answer = try call("Page.captureScreenshot", ["format": "png"])
        let png = Data(base64Encoded: answer["data"] as? String ?? "") ?? Data()
        try png.write(to: URL(filePath: "\(folder)/\(name).png"))
    }

    /// Writes a measured figure beside the pictures of ``keepScreenshot(_:)``, a line a run.
    func keepFigure(_ name: String, _ value: Double, _ unit: String) throws {
        guard let folder = ProcessInfo.processInfo.environment["ONESHEET_SCREENSHOTS"] else {
            return
        }
        let path = "\(folder)/\(name).txt"
        let before = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        try "\(before)\(value) \(unit)\n".write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func notice(_ events: [Browser.Event]) {
        for event in events {
            let parameters = event.parameters
            switch event.method {
            case "Network.requestWillBeSent":
                let request = parameters["request"] as? [String: Any]
                requests.append(request?["url"] as? String ?? "")
            case "Runtime.exceptionThrown": errors.append("\(parameters)")
            case "Runtime.consoleAPICalled" where parameters["type"] as? String == "error":
                errors.append("\(parameters)")
            case "Log.entryAdded":
                let entry = parameters["entry"] as? [String: Any]
                if entry?["level"] as? String == "error" {
                    errors.append("\(entry?["text"] ?? "") \(entry?["url"] ?? "")")
                }
            default: continue
            }
        }
    }
}
