import Testing

@testable import FixtureOrigin

@Suite(.timeLimit(.minutes(2))) struct ControlTests {
    private let origin: Origin
    private let path = "/t/p/w342/a.jpg"

    init() throws {
        origin = try Origin()
        origin.put(path, [1, 2, 3])
    }

    @Test func `requests and the log can be read, and are not counted themselves`() {
        defer { origin.stop() }
        _ = fetch(origin.port, "\(path)?a=\"", "X-Mark: a\\b")
        let requests = fetch(origin.port, "/_origin/requests").response
        #expect(requests.text == "{\"\(path)\":1}\n")
        let log = fetch(origin.port, "/_origin/log").response
        #expect(log.text.contains("\"method\":\"GET\",\"target\":\"\(path)?a=\\\"\""))
        #expect(log.text.contains("[\"X-Mark\",\"a\\\\b\"]"))
        #expect(log.text.count(where: { $0 == "\n" }) == 1)
        #expect(origin.totalRequests == 1)
    }

    @Test func `a fault is set, limited, listed and taken back`() {
        defer { origin.stop() }
        let set =
            "/_origin/faults?path=%2Ft%2Fp%2F*&fault=status&code=429&retry-after=7"
            + "&header=X-Why:%20limit&times=1"
        #expect(fetch(origin.port, set, method: "PUT").response.status == 204)
        #expect(
            fetch(origin.port, "/_origin/faults").response.text.hasPrefix("{\"set\":[\"/t/p/*\"]"))
        let bad = fetch(origin.port, path).response
        #expect(bad.status == 429)
        #expect(bad.header("Retry-After") == "7")
        #expect(bad.header("X-Why") == "limit")
        #expect(fetch(origin.port, path).response.status == 200)

        _ = fetch(origin.port, "/_origin/faults?path=\(path)&fault=empty", method: "PUT")
        #expect(fetch(origin.port, path).response.body.isEmpty)
        _ = fetch(origin.port, "/_origin/faults?path=\(path)", method: "DELETE")
        #expect(fetch(origin.port, path).response.body == [1, 2, 3])
    }

    @Test func `reset takes back everything, and deleting without a path every fault`() {
        defer { origin.stop() }
        let set = "/_origin/faults?path=\(path)&fault=sequence&of=status,normal,redirect&to=/x"
        #expect(fetch(origin.port, set, method: "PUT").response.status == 204)
        let statuses = (0..<4).map { _ in fetch(origin.port, path).response.status }
        #expect(statuses == [503, 200, 302, 200])
        _ = fetch(origin.port, set, method: "PUT")
        _ = fetch(origin.port, "/_origin/faults", method: "DELETE")
        #expect(fetch(origin.port, path).response.status == 200)
        #expect(fetch(origin.port, "/_origin/reset", method: "POST").response.status == 204)
        #expect(origin.totalRequests == 0)
        #expect(fetch(origin.port, path).response.status == 404)
    }

    @Test func `a hold is set and released`() throws {
        defer { origin.stop() }
        _ = fetch(origin.port, "/_origin/holds?path=\(path)", method: "PUT")
        let client = try #require(RawClient(port: origin.port))
        client.ask(path)
        #expect(origin.waitUntilHeld(path))
        _ = fetch(origin.port, "/_origin/holds?path=\(path)", method: "DELETE")
        #expect(client.readResponse().body == [1, 2, 3])
    }

    @Test("every fault has a name that scripts can use", arguments: Fault.names)
    func named(name: String) {
        let query = Query("fault=\(name)&to=/x&value=1&of=status,drip")
        #expect(Fault(query) != nil)
    }

    @Test(
        "what cannot be understood is refused",
        arguments: [
            ("PUT", "faults?path=/x&fault=nonsense", 400), ("PUT", "faults?fault=empty", 400),
            ("PUT", "faults?path=/x", 400), ("PUT", "faults?path=/x&fault=redirect", 400),
            ("PUT", "faults?path=/x&fault=header-bomb&kind=huge", 400),
            ("PUT", "faults?path=/x&fault=sequence&of=status,nonsense", 400),
            ("PUT", "holds", 400), ("GET", "nothing", 404), ("POST", "faults?path=/x", 404),
        ])
    func refused(method: String, target: String, status: Int) {
        defer { origin.stop() }
        #expect(fetch(origin.port, "/_origin/\(target)", method: method).response.status == status)
    }
}
