import EaselCore
import EaselTestSupport
import EaselTestTags
import Glibc
import Testing

@Suite(.tags(.alone))
struct ScriptableServerTests {
  @Test func aRequestIsRememberedAsItCame() async throws {
    let server = try ScriptableServer(routes: ["/echo": .echo])
    defer { server.close() }
    let client = try RawClient(port: server.port)
    defer { client.close() }
    client.send("POST /echo?a=b HTTP/1.1\r\nX-Second: 2\r\nx-first:  1 \r\nContent-Length: 5\r\n\r\nhello")
    let answer = await client.receive("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8.count)
    #expect(answer.status == 200)
    #expect(answer.body == Array("hello".utf8))
    let request = try #require(server.requests.first)
    #expect(request.method == "POST")
    #expect(request.target == "/echo?a=b")
    #expect(request.path == "/echo")
    #expect(request.query == "a=b")
    #expect(request.version == "HTTP/1.1")
    #expect(request.headers.fields.map(\.name) == ["X-Second", "x-first", "Content-Length"])
    #expect(request.headers["X-First"] == "1")
    #expect(request.body == Array("hello".utf8))
  }

  @Test func aBodyInChunksIsPutTogether() async throws {
    let server = try ScriptableServer(routes: ["/echo": .echo])
    defer { server.close() }
    let client = try RawClient(port: server.port)
    defer { client.close() }
    client.send("PUT /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n")
    client.send("GET /gone HTTP/1.1\r\nConnection: close\r\n\r\n")
    let answer = await client.receive()
    #expect(answer.text.contains("\r\n\r\nabc0123456789HTTP/1.1 404"))
  }

  @Test func whoWantsToBeAskedFirstIsAsked() async throws {
    let server = try ScriptableServer(routes: ["/echo": .echo])
    defer { server.close() }
    let client = try RawClient(port: server.port)
    defer { client.close() }
    client.send("PUT /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n")
    let goOn = "HTTP/1.1 100 Continue\r\n\r\n"
    #expect(await client.receive(goOn.utf8.count).text == goOn)
    client.send("ok")
    #expect(await client.receive().body == Array("ok".utf8))
  }

  @Test func aConnectionServesManyRequests() async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: [1])), "/b": .always([.head(200)])])
    defer { server.close() }
    let client = try RawClient(port: server.port)
    defer { client.close() }
    for path in ["/a", "/a", "/b"] { client.send("GET \(path) HTTP/1.1\r\n\r\n") }
    // The script for /b does not keep the connection, so the answer ends.
    let answer = await client.receive()
    #expect(answer.text.components(separatedBy: "200 OK").count == 4)
    #expect(server.requests.map(\.connection) == [0, 0, 0])
    #expect(server.requests.map(\.visit) == [0, 1, 0])
    #expect(server.connectionCount == 1)
  }

  @Test func aScriptForAConnectionRunsWithoutARequest() async throws {
    let server = try ScriptableServer(connections: [[.text("first")], [.readRequest, .text("second")]])
    defer { server.close() }
    let first = try RawClient(port: server.port)
    #expect(await first.receive().text == "first")
    first.close()
    for _ in 0..<2 {
      let later = try RawClient(port: server.port)
      later.send("GET /x HTTP/1.1\r\n\r\n")
      #expect(await later.receive().text == "second")
      later.close()
    }
    #expect(server.requests.map(\.connection) == [1, 2])
  }

  @Test func theLongestBeginningOfAPathDecides() async throws {
    let server = try ScriptableServer(routes: [
      "/*": .always(.reply(body: [1])), "/a/*": .always(.reply(body: [2])), "/a/b": .always(.reply(body: [3])),
    ])
    defer { server.close() }
    for (path, expected) in [("/", 1), ("/x/y", 1), ("/a/x", 2), ("/a/b?q", 3)] as [(String, UInt8)] {
      #expect(try await RawClient.get(path, from: server.port).body == [expected], "\(path)")
    }
    server.setRoute("/a/b", nil)
    #expect(try await RawClient.get("/a/b", from: server.port).body == [2])
  }

  @Test func aGateHoldsTheAnswerUp() async throws {
    let gate = Gate()
    let server = try ScriptableServer(routes: ["/": .always([.head(200), .text("a"), .wait(gate), .text("b")])])
    defer { server.close() }
    let client = try RawClient(port: server.port)
    defer { client.close() }
    client.send("GET / HTTP/1.1\r\n\r\n")
    await server.waitForRequests()
    await gate.waitForWaiters()
    #expect(await client.receive("HTTP/1.1 200 OK\r\n\r\na".utf8.count).body == [UInt8(ascii: "a")])
    gate.open()
    #expect(await client.receive().text == "b")
  }

  @Test func aBodyDripsThroughAGate() async throws {
    let gate = Gate()
    let server = try ScriptableServer(connections: [[.drip(Array("abc".utf8), through: gate), .text("!")]])
    defer { server.close() }
    let client = try RawClient(port: server.port)
    defer { client.close() }
    gate.letThrough()
    #expect(await client.receive(1).text == "a")
    await gate.waitForWaiters()
    gate.letThrough(2)
    #expect(await client.receive().text == "bc!")
  }

  @Test func aBodyDripsAtItsPace() async throws {
    let server = try ScriptableServer(connections: [[.dripEvery(.milliseconds(1), Array("abc".utf8))]])
    defer { server.close() }
    let client = try RawClient(port: server.port)
    defer { client.close() }
    #expect(await client.receive().text == "abc")
  }

  @Test func hostsAreApart() async throws {
    let servers = try ["127.0.0.1", "127.0.0.2"].map { address in
      try ScriptableServer(address: address, routes: ["/": .always(.reply(body: Array(address.utf8)))])
    }
    for server in servers {
      let answer = try await RawClient.get("/", from: server.port, address: server.address)
      #expect(answer.body == Array(server.address.utf8))
      #expect(server.url("/a").absoluteString == "http://\(server.address):\(server.port)/a")
      server.close()
    }
  }

  @Test func whatIsNoRequestEndsTheConnection() async throws {
    let server = try ScriptableServer(routes: ["/": .echo])
    defer { server.close() }
    for junk in ["\u{16}\u{3}\u{1}\0\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"] {
      let client = try RawClient(port: server.port)
      client.send(junk)
      #expect(await client.receive() == RawClient.Answer())
      client.close()
    }
    #expect(server.requests.isEmpty)
  }

  @Test func aPortThatIsTakenRefuses() throws {
    let port = try RefusingPort()
    #expect(port.url("/a").port == port.port)
    let error = #expect(throws: SystemError.self) { try RawClient(port: port.port) }
    #expect(error?.code == ECONNREFUSED)
  }

  @Test func aDeafPortDoesNotAnswer() throws {
    let port = try DeafPort()
    #expect(port.url("/a").port == port.port)
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
    defer { close(descriptor) }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = UInt16(port.port).bigEndian
    name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let status = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    #expect(status < 0 && errno == EINPROGRESS)
    // A port that answers does so within the call, or very soon after.
    var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    #expect(poll(&watched, 1, 30) == 0)
  }
}
