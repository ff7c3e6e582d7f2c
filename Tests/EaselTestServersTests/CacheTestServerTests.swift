import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@Suite(.tags(.alone))
struct CacheTestServerTests {
  // 9 September 2001, 1:46:40.
  private let clock = ManualClock()

  private func server(body: [UInt8]? = nil) throws -> CacheTestServer {
    try CacheTestServer(body: body, now: { [clock] in clock.date })
  }

  private func put(_ json: String, as id: String, to server: CacheTestServer) async throws -> Int? {
    let client = try RawClient(port: server.port)
    defer { client.close() }
    client.send("PUT /config/\(id) HTTP/1.1\r\nConnection: close\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)")
    return await client.receive().status
  }

  private func get(_ path: String, from server: CacheTestServer, _ headers: String...) async throws -> RawClient.Answer
  {
    try await RawClient.get(path, from: server.port, headers: headers)
  }

  @Test func answersComeInTurn() async throws {
    let server = try server()
    defer { server.close() }
    let json = """
      [{"response_headers": [["Cache-Control", "max-age=5"], ["X-Twice", "a"], ["X-Twice", "b"]]},
       {"response_status": [404, "Gone Fishing"], "response_body": "nothing"}]
      """
    #expect(try await put(json, as: "t1", to: server) == 201)
    let first = try await get("/test/t1/name.png?query", from: server)
    #expect(first.status == 200)
    #expect(first.body == Array("t1".utf8))
    #expect(first.headers.values(of: "X-Twice") == ["a", "b"])
    #expect(first.header("Server-Request-Count") == "1")
    let second = try await get("/test/t1", from: server)
    #expect(second.text.hasPrefix("HTTP/1.1 404 Gone Fishing\r\n"))
    #expect(second.body == Array("nothing".utf8))
    #expect(second.header("Server-Request-Count") == "2")
    #expect(try await get("/test/t1", from: server).status == 409)
    #expect(try await get("/test/unknown", from: server).status == 409)
  }

  @Test func theClientMayNameTheAnswer() async throws {
    let server = try server()
    defer { server.close() }
    let json = #"[{"response_body": "one"}, {"response_body": "two"}, {"response_body": "three"}]"#
    _ = try await put(json, as: "t", to: server)
    let answer = try await get("/test/t", from: server, "Req-Num: 3")
    #expect(answer.body == Array("three".utf8))
    #expect(answer.header("Client-Request-Count") == "3")
    #expect(answer.header("Request-Numbers") == "3")
  }

  @Test func theStateIsWhatTheServerSaw() async throws {
    let server = try server()
    defer { server.close() }
    #expect(try await get("/state/t", from: server).status == 404)
    let json = #"[{"response_headers": [["X-Checked", "1"], ["X-Free", "2", false]]}, {}]"#
    _ = try await put(json, as: "t", to: server)
    _ = try await get("/test/t", from: server, "Req-Num: 1", "X-Mine: yes")
    _ = try await get("/test/t", from: server, "Req-Num: 2")
    let answer = try await get("/state/t", from: server)
    #expect(answer.header("Cache-Control") == "no-store")
    let seen = try JSONDecoder().decode([CacheTestServer.Sighting].self, from: Data(answer.body))
    #expect(seen.map(\.number) == [1, 2])
    #expect(seen.map(\.method) == ["GET", "GET"])
    #expect(seen[0].headers["x-mine"] == "yes")
    #expect(seen[0].answered == [["X-Checked", "1"]])
    #expect(server.sightings("t").map(\.number) == [1, 2])
    // A new configuration starts a new test.
    _ = try await put(json, as: "t", to: server)
    #expect(server.sightings("t").isEmpty)
  }

  @Test func numbersInDatesAreSecondsFromNow() async throws {
    let server = try server()
    defer { server.close() }
    let json = """
      [{"response_headers": [["Last-Modified", -3600], ["Expires", 3600], ["Date", 0], ["Age", 7]]},
       {"response_headers": [["Expires", 0]], "rfc850date": ["expires"]}]
      """
    _ = try await put(json, as: "t", to: server)
    let first = try await get("/test/t", from: server)
    #expect(first.header("Last-Modified") == "Sun, 09 Sep 2001 00:46:40 GMT")
    #expect(first.header("Expires") == "Sun, 09 Sep 2001 02:46:40 GMT")
    #expect(first.headers.values(of: "Date") == ["Sun, 09 Sep 2001 01:46:40 GMT"])
    #expect(first.header("Age") == "7")
    clock.advance(by: .seconds(86_400))
    #expect(try await get("/test/t", from: server).header("Expires") == "Monday, 10-Sep-01 01:46:40 GMT")
  }

  @Test func aConditionIsWantedWhereItIsExpected() async throws {
    let server = try server()
    defer { server.close() }
    let json = """
      [{"response_headers": [["ETag", "\\"a\\""], ["Last-Modified", "Sun, 09 Sep 2001 00:46:40 GMT"]]},
       {"expected_type": "etag_validated"}]
      """
    for (header, status) in [
      ("If-None-Match: \"a\"", 304), ("If-None-Match: \"b\"", 999),
      ("If-Modified-Since: Sun, 09 Sep 2001 00:46:40 GMT", 304), ("X: y", 999),
    ] {
      _ = try await put(json, as: "t", to: server)
      _ = try await get("/test/t", from: server)
      #expect(try await get("/test/t", from: server, header).status == status, "\(header)")
    }
  }

  @Test func placesLeadBackToTheTest() async throws {
    let server = try server()
    defer { server.close() }
    let json = #"[{"response_headers": [["Location", "next"], ["Content-Location", ""]], "magic_locations": true}]"#
    _ = try await put(json, as: "t", to: server)
    let answer = try await get("/test/t", from: server)
    #expect(answer.header("Location") == "/test/t/next")
    #expect(answer.header("Content-Location") == "/test/t")
  }

  @Test func anAnswerMayBeAnnouncedPausedOrCutOff() async throws {
    let server = try server()
    defer { server.close() }
    let json = """
      [{"interim_responses": [[103, [["Link", "</a>"]]]]}, {"response_pause": 0.001, "response_body": "late"},
       {"disconnect": true}]
      """
    _ = try await put(json, as: "t", to: server)
    let announced = try await get("/test/t", from: server)
    #expect(announced.text.hasPrefix("HTTP/1.1 103 Interim\r\nLink: </a>\r\n\r\nHTTP/1.1 200 "))
    #expect(try await get("/test/t", from: server).body == Array("late".utf8))
    #expect(try await get("/test/t", from: server).bytes.isEmpty)
    #expect(server.sightings("t").count == 3)
  }

  @Test func whatIsNoConfigurationIsRefused() async throws {
    let server = try server()
    defer { server.close() }
    for json in ["", "{}", "[1]", #"[{"response_status": "200"}]"#, #"[{"expected_type": "eaten"}]"#] {
      #expect(try await put(json, as: "t", to: server) == 400, "\(json)")
    }
    #expect(try await get("/config/t", from: server).status == 405)
  }

  @Test func theBodyIsGivenOrTheIdentifier() async throws {
    let server = try server(body: [1, 2, 3])
    defer { server.close() }
    _ = try await put(#"[{}, {"response_body": "text"}, {"response_status": [204, "No"]}]"#, as: "t", to: server)
    #expect(try await get("/test/t", from: server).body == [1, 2, 3])
    #expect(try await get("/test/t", from: server).body == Array("text".utf8))
    #expect(try await get("/test/t", from: server).body == [])
  }
}
