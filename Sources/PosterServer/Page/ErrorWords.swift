import PosterLists

/// What a person reads when a list cannot be had: what happened, and what to do about it.
struct ErrorWords: Equatable {
    /// A sentence.
    let what: String
    /// One or two sentences.
    let advice: String
    /// The status of a page that has nothing else to show, with the relay's meaning.
    let status: Int
    /// Whether trying again may help.
    let helpsToRetry: Bool
    /// Seconds to wait before that, where upstream says so.
    var retryAfterSeconds: Int?

    /// Puts an error in words. Nothing of upstream's own text is shown.
    init(_ error: ListError) {
        switch error {
        case .keyMissing:
            self.init(
                "Onesheet has no key for the film API.",
                "Its operator sets AMODB_KEY, or AMODB_KEY_FILE, and starts it again.", 502,
                helpsToRetry: false)
        case .keyRefused:
            self.init(
                "The film API refused the key (401).",
                "It is wrong or suspended. Its operator sets another in AMODB_KEY.", 502)
        case .planEnded:
            self.init(
                "The film API refused the key (402).",
                "Its plan has ended. Its operator renews it.", 502)
        case .rateLimited(let seconds):
            self.init(
                "The film API has had too many requests (429).",
                "It answers again in \(seconds) seconds.", 503, retryAfterSeconds: seconds)
        case .budgetSpent(let seconds):
            self.init(
                "Onesheet has asked the film API as often as it may.",
                "It may ask again in \(seconds) seconds.", 503, retryAfterSeconds: seconds)
        case .status(let code):
            self.init(
                "The film API failed (\(code)).", "The fault is on its side. Try again later.", 502)
        case .invalid:
            self.init(
                "The film API sent no list.",
                "Its answer cannot be read. Its operator finds the reason in the log.", 502
            )
        case .unreachable, .cancelled:
            self.init(
                "The film API gives no answer.",
                "It is down, or Onesheet has no way to it. Try again later.", 504)
        }
    }

    private init(
        _ what: String, _ advice: String, _ status: Int, helpsToRetry: Bool = true,
        retryAfterSeconds: Int? = nil
    ) {
        self.what = what
        self.advice = advice
        self.status = status
        self.helpsToRetry = helpsToRetry
        self.retryAfterSeconds = retryAfterSeconds
    }
}
