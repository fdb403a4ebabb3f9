/// The bar at the top of the page.
enum PageBar {
    /// Of a list: what to see, in which language, and a button to reload.
    static func list(_ choice: PageChoice, again: String) -> HTML {
        """
        <h1>Trending</h1>
        \(choices(choice))
        <form action="/" method="get">
        <input type="hidden" name="list" value="\(choice.kind.rawValue)">
        <input type="hidden" name="window" value="\(choice.window.rawValue)">
        <select name="language" aria-label="Language of the titles">
        \(languages(choice.language))</select>
        <button class="apply">Apply</button>
        </form>
        <a class="button again" href="\(again)" rel="nofollow">\
        <svg aria-hidden="true"><use href="#again"/></svg>Reload</a>
        """
    }

    /// Of a film: the way back.
    static func film(_ choice: PageChoice) -> HTML {
        """
        <h1 class="unseen">\(choice.kind.name)</h1>
        <a class="button" href="\(choice.address)">\
        <svg aria-hidden="true"><use href="#back"/></svg>\(choice.kind.name)</a>
        """
    }

    /// The choices that change with the list.
    static func choices(_ choice: PageChoice) -> HTML {
        let kinds = PageChoice.Kind.allCases.map { kind in
            link(kind.name, choice.with { $0.kind = kind }, isCurrent: kind == choice.kind)
        }
        let windows = PageChoice.Window.allCases.map { window in
            link(
                window.name, choice.with { $0.window = window }, isCurrent: window == choice.window)
        }
        return """
            <nav id="choices" aria-label="Lists">\
            <div class="choice">\(HTML(kinds))</div><div class="choice">\(HTML(windows))</div></nav>
            """
    }

    private static func link(_ name: String, _ choice: PageChoice, isCurrent: Bool) -> HTML {
        let current: HTML = isCurrent ? " aria-current=\"page\"" : ""
        return
            "<a id=\"to-\(name.lowercased().filter { $0 != " " })\" href=\"\(choice.address)\"\(current)>\(name)</a>"
    }

    /// The languages offered, and the one in use where it is none of them.
    private static func languages(_ current: PageLanguage) -> HTML {
        let offered = PageLanguage.offered
        let match =
            offered.first { $0.language == current }
            ?? offered.first { $0.language.base == current.base }
        var options = offered.map { language, name -> HTML in
            let selected: HTML = language == match?.language ? " selected" : ""
            return """
                <option value="\(language.tag)" lang="\(language.tag)"\(selected)>\(name)</option>

                """
        }
        if match == nil {
            options.append("<option value=\"\(current.tag)\" selected>\(current.tag)</option>\n")
        }
        return HTML(options)
    }
}
