import Foundation
import Testing

@testable import onesheet

@Suite struct VariableTests {
    private static let commands = ["serve", "prefetch", "prune"]

    private func arguments(
        _ words: [String], _ command: Command, _ variables: [String: String]
    ) throws -> Arguments {
        try .parsed(words, for: command, variables)
    }

    @Test(
        "every option has a variable of its name, and the option wins",
        arguments: commands)
    func everyOption(name: String) throws {
        let command = try Command.named(name)
        for option in command.allOptions where option.name != "help" {
            let variable = "ONESHEET_" + option.name.uppercased().replacing("-", with: "_")
            guard option.placeholder != nil else {
                #expect(try arguments([], command, [variable: "1"]).has(option), "\(variable)")
                #expect(try !arguments([], command, [variable: "0"]).has(option))
                #expect(try !arguments([], command, [variable: ""]).has(option))
                #expect(try arguments(["--\(option.name)"], command, [variable: "0"]).has(option))
                continue
            }
            let set = try arguments([], command, [variable: "from-variable"])
            #expect(try set.value(option, as: String.self) == "from-variable", "\(variable)")
            #expect(try set.values(option, as: String.self) == ["from-variable"])
            #expect(set.has(option) && !set.isTyped(option))
            let both = try arguments(
                ["--\(option.name)=typed"], command, [variable: "from-variable"])
            #expect(try both.value(option, as: String.self) == "typed")
            #expect(try both.values(option, as: String.self) == ["typed"])
            #expect(
                try arguments([], command, [variable: ""]).value(option, as: String.self)
                    == option.standard)
        }
    }

    @Test func `a variable holds several lists with spaces between them`() throws {
        let command = try Command.named("prefetch")
        let list = try #require(command.options.first { $0.name == "list" })
        let two = try arguments([], command, ["ONESHEET_LIST": " movie/popular  tv/popular "])
        #expect(try two.values(list, as: String.self) == ["movie/popular", "tv/popular"])
    }

    @Test func `a flag's variable says yes or no`() throws {
        let program = BuiltProgram(environment: ["ONESHEET_DRY_RUN": "maybe"])
        let outcome = try program.run("prune")
        #expect(outcome.status == 78)
        #expect(outcome.messages.contains("ONESHEET_DRY_RUN \"maybe\": it must be 1 or 0"))
        // Other commands' flags are their own.
        #expect(try BuiltProgram(environment: ["ONESHEET_JSON": "x"]).run("resolve").status == 0)
    }

    @Test func `an unknown variable is named in a warning, and no other`() throws {
        var program = BuiltProgram(environment: [
            "ONESHEET_CONCURENCY": "4", "ONESHEET_LISTEN": "127.0.0.1:1", "ONESHEET_": "x",
            "ONESHEET_MAX_AGE": "30d", "ONESHEETS": "x", "AMODB_KEY": "k",
        ])
        let outcome = try program.run("resolve", "/a.jpg")
        #expect(outcome.status == 0)
        #expect(outcome.lines == ["https://img.amodb.dev/t/p/w342/a.jpg"])
        #expect(
            outcome.messages == """
                onesheet: there is no variable ONESHEET_
                onesheet: there is no variable ONESHEET_CONCURENCY; did you mean \
                ONESHEET_CONCURRENCY?

                """)
        // A cron line is silent on success.
        #expect(try program.run("resolve", "--quiet", "/a.jpg").messages == "")
        program.environment["ONESHEET_CONCURENCY"] = ""
        program.environment["ONESHEET_"] = nil
        #expect(try program.run("resolve", "/a.jpg").messages == "")
    }

    @Test func `a typed --list wins over the variable of --from, and the other way round`() throws {
        let program = BuiltProgram(environment: ["ONESHEET_FROM": "nowhere"])
        #expect(try program.run("prefetch").status == 66)
        // It is the list that is asked for, and needs a key.
        #expect(try program.run("prefetch", "--list", "movie/popular").status == 77)
        let both = BuiltProgram(environment: ["ONESHEET_FROM": "x", "ONESHEET_LIST": "y"])
        #expect(try both.run("prefetch").status == 78)
        #expect(try both.run("prefetch", "--list", "y", "--from", "x").status == 64)
    }
}
