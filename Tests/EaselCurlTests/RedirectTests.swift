import EaselCore
import EaselSupport
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

@Suite(.tags(.alone))
struct RedirectTests {
  private let body = ServerBody.bytes(500)

  @Test(arguments: [301, 302, 303, 307, 308])
  func aRedirectIsFollowed(status: Int) async throws {
    let server = try ScriptableServer(routes: [
      "/a/b": .always(.redirect(to: "../c?x=1", status: status)), "/c": .always(.reply(body: body)),
    ])
    defer { server.close() }
    try await withLoader { loader in
      let (sink, metrics) = try await loader.body(server.url("/a/b"))
      #expect(sink.body == body)
      #expect(sink.heads.count == 1)
      #expect(sink.head?.url == server.url("/c?x=1"))
      #expect(metrics.redirects == 1)
    }
    // The next request goes over another connection, because the server may send something else over this one.
    #expect(server.connectionCount == 2)
  }

  @Test func redirectsAreCounted() async throws {
    let server = try ScriptableServer(routes: ["/loop": .endlessRedirects])
    defer { server.close() }
    try await withLoader { loader in
      let failure = await loader.failure(of: server.url("/loop"))
      #expect(failure?.code == .network)
      #expect(failure?.message.contains("more than 10 times") == true)
      #expect(failure.flatMap { loader.shouldBlock(server.url("/loop"), after: $0) } == true)
      try Task.checkCancellation()
    }
    #expect(server.requests.count == 11)
  }

  @Test func noneMeansNone() async throws {
    let server = try ScriptableServer(routes: ["/loop": .endlessRedirects])
    defer { server.close() }
    try await withLoader({ $0.maximumRedirects = 0 }) { loader in
      let failure = await loader.failure(of: server.url("/loop"))
      #expect(failure?.curlFailure?.isTooManyRedirects == true)
      try Task.checkCancellation()
    }
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [
    "file:///etc/passwd", "ftp://127.0.0.1/a", "gopher://127.0.0.1/a", "data:,a", "javascript:a", "FILE:/etc/passwd",
    "data:image/png;base64,AAAA", "ws://127.0.0.1/a",
  ])
  func otherSchemesAreNotFollowed(target: String) async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.redirect(to: target))])
    defer { server.close() }
    try await withLoader { loader in
      let failure = await loader.failure(of: server.url("/a"))
      #expect(failure?.code == .unsupportedURL)
      #expect(failure?.message.contains("only http and https are followed") == true)
      #expect(failure?.response?.status == 302)
      try Task.checkCancellation()
    }
  }

  @Test func credentialsAndCookiesStayWithTheirHost() async throws {
    let other = try ScriptableServer(address: "127.0.0.2", routes: ["/b": .always(.reply(body: [1]))])
    defer { other.close() }
    let server = try ScriptableServer(routes: [
      "/far": .always(.redirect(to: other.url("/b").absoluteString)), "/near": .always(.redirect(to: "/b")),
      "/b": .always(.reply(body: [2])),
    ])
    defer { server.close() }
    let headers: HTTPHeaders = [
      "Authorization": "Bearer secret", "Cookie": "a=b", "X-Other": "own", "Accept-Language": "de",
    ]
    try await withLoader { loader in
      let near = try await loader.body(LoadRequest(url: server.url("/near"), headers: headers)).sink
      #expect(near.body == [2])
      let far = try await loader.body(LoadRequest(url: server.url("/far"), headers: headers)).sink
      #expect(far.body == [1])
    }
    let near = try #require(server.requests(for: "/b").first).headers
    #expect(near["Authorization"] == "Bearer secret" && near["Cookie"] == "a=b")
    let far = try #require(other.requests.first).headers
    #expect(
      far["Authorization"] == nil && far["Cookie"] == nil && far["X-Other"] == nil && far["Accept-Language"] == "de")
  }

  @Test func anotherPortIsAnotherHostAndTheWayBackTrustsNobody() async throws {
    let other = try ScriptableServer(routes: ["/b": .always(.reply(body: [1]))])
    defer { other.close() }
    let server = try ScriptableServer(routes: [
      "/away": .always(.redirect(to: other.url("/return").absoluteString)), "/end": .always(.reply(body: [2])),
    ])
    defer { server.close() }
    other.setRoute("/return", .always(.redirect(to: server.url("/end").absoluteString)))
    try await withLoader({ $0.credentials = [server.origin: .bearer("own")] }) { loader in
      let sink = try await loader.body(
        LoadRequest(url: server.url("/away"), headers: ["Cookie": "a=b"])
      ).sink
      #expect(sink.body == [2])
    }
    #expect(server.requests(for: "/away").first?.headers["Authorization"] == "Bearer own")
    #expect(other.requests.first?.headers["Authorization"] == nil)
    #expect(other.requests.first?.headers["Cookie"] == nil)
    #expect(server.requests(for: "/end").first?.headers["Authorization"] == nil)
    #expect(server.requests(for: "/end").first?.headers["Cookie"] == nil)
  }

  @Test(arguments: [false, true])
  func aNameOfTheHostStaysWithIt(_ isTheLoaders: Bool) async throws {
    let other = try ScriptableServer(routes: ["/b": .always(.reply(body: [1]))])
    defer { other.close() }
    let server = try ScriptableServer(routes: [
      "/near": .always(.redirect(to: "/far")), "/far": .always(.redirect(to: other.url("/b").absoluteString)),
    ])
    defer { server.close() }
    let own: HTTPHeaders = ["Host": "pictures.example"]
    _ = try await withLoader({ if isTheLoaders { $0.headers.merge(own) } }) { loader in
      try await loader.body(LoadRequest(url: server.url("/near"), headers: isTheLoaders ? [:] : own))
    }
    #expect(server.requests.map { $0.headers["Host"] } == ["pictures.example", "pictures.example"])
    #expect(other.requests.map { $0.headers["Host"] } == [String(other.origin.dropFirst("http://".count))])
  }

  @Test func aHookMayRefuse() async throws {
    let server = try ScriptableServer(routes: [
      "/a": .always(.redirect(to: "/b")), "/b": .always(.redirect(to: "/c", status: 307)),
      "/c": .always(.reply(body: body)),
    ])
    defer { server.close() }
    let seen = Locked<[CurlLoader.Redirect]>([])
    try await withLoader({
      $0.mayFollow = { redirect in
        await Task.yield()
        seen.withLock { $0.append(redirect) }
        return redirect.target.path() != "/c"
      }
    }) { loader in
      let failure = await loader.failure(of: server.url("/a"))
      #expect(failure?.code == .network)
      #expect(failure?.message.contains("was refused") == true)
      try Task.checkCancellation()
    }
    #expect(seen.withLock { $0.map(\.status) } == [302, 307])
    #expect(seen.withLock { $0.map(\.count) } == [1, 2])
    #expect(server.requests(for: "/c").isEmpty)
  }

  @Test func aHookThatAllowsChangesNothing() async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.redirect(to: "/b")), "/b": .always(.reply(body: body))])
    defer { server.close() }
    try await withLoader({ $0.mayFollow = { !$0.isForeign } }) { loader in
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.body == body)
    }
  }

  @Test func aPostBecomesAGetWhereTheWebDoesSo() async throws {
    let server = try ScriptableServer(routes: ["/end": .always(.reply(body: [1]))])
    defer { server.close() }
    for (status, method) in [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")] {
      server.setRoute("/\(status)", .always(.redirect(to: "/end", status: status)))
      try await withLoader { loader in
        _ = try await loader.body(
          LoadRequest(url: server.url("/\(status)"), method: "POST", body: Data("posted".utf8)))
      }
      let request = try #require(server.requests(for: "/end").last)
      #expect(request.method == method)
      #expect(request.body == (method == "POST" ? Array("posted".utf8) : []))
    }
  }

  private static let redirectHead = "HTTP/1.1 302 Found\r\nLocation: /end\r\n"
  private static let mute: [ServerStep] = [.waitForHangup]

  /// The loader does not wait for the body of a redirect that is long, endless or never sent.
  @Test(arguments: [
    ("Content-Length: 100000\r\n\r\n", Named("all of it", String(repeating: "x", count: 100_000))),
    ("Content-Length: 100\r\n\r\n", Named("nothing", "")), ("Content-Length: 100000000\r\n\r\n", Named("nothing", "")),
    ("\r\n", Named("200,000 bytes", String(repeating: "x", count: 200_000))), ("\r\n", Named("nothing", "")),
    ("Transfer-Encoding: chunked\r\n\r\n", Named("a chunk", "1\r\nx\r\n")),
    ("Transfer-Encoding: chunked\r\n\r\n", Named("junk", "junk\r\n")),
    ("Content-Encoding: gzip\r\nContent-Length: 30\r\n\r\n", Named("abc", "abc")),
    ("Content-Encoding: what\r\n\r\n", Named("abc", "abc")),
  ])
  func aRedirectIsFollowedAsSoonAsItsHeadIsThere(fields: String, body sent: Named<String>) async throws {
    let steps = [ServerStep.text(Self.redirectHead + fields)] + (sent.value.isEmpty ? [] : [.text(sent.value)])
    let script = ServerScript(steps + Self.mute)
    let server = try ScriptableServer(routes: ["/a": .always(script), "/end": .always(.reply(body: body))])
    defer { server.close() }
    try await withLoader { loader in
      let (sink, metrics) = try await loader.body(server.url("/a"))
      #expect(sink.body == body && sink.heads.count == 1)
      #expect(metrics.redirects == 1)
    }
  }

  /// Over HTTP/1 the server could send the next answer in advance.
  ///
  /// The connection of the target is kept.
  @Test(arguments: ["", "moved"]) func aRedirectEndsItsConnection(body text: String) async throws {
    let redirect = ServerScript.reply(302, headers: [("Location", "/end")], body: Array(text.utf8))
    let server = try ScriptableServer(routes: ["/a": .always(redirect), "/end": .always(.reply(body: body))])
    defer { server.close() }
    try await withLoader { loader in
      for _ in 0..<3 {
        let sink = try await loader.body(server.url("/a")).sink
        #expect(sink.body == body)
      }
    }
    let used = server.requests.map(\.connection)
    #expect(server.requests.map(\.path) == ["/a", "/end", "/a", "/end", "/a", "/end"])
    #expect(used[0] != used[1] && used[2] != used[3] && used[4] != used[5])
  }

  @Test func twoTargetsAreNone() async throws {
    let script = ServerScript.reply(302, headers: [("Location", "/b"), ("Location", "/c")])
    let alike = ServerScript.reply(302, headers: [("Location", "/b"), ("Location", "/b")])
    let server = try ScriptableServer(routes: [
      "/a": .always(script), "/alike": .always(alike), "/*": .always(.reply(body: body)),
    ])
    defer { server.close() }
    try await withLoader { loader in
      let failure = await loader.failure(of: server.url("/a"))
      #expect(failure?.code == .network && failure?.message.contains("several URLs") == true)
      let sink = try await loader.body(server.url("/alike")).sink
      #expect(sink.body == body)
    }
    #expect(server.requests.map(\.path) == ["/a", "/alike", "/b"])
  }

  /// A server must not choose the credentials that the loader sends.
  @Test func aTargetWithAPasswordIsAskedWithoutIt() async throws {
    let server = try ScriptableServer(routes: ["/b": .always(.reply(body: body))])
    defer { server.close() }
    let target = "http://planted:secret@127.0.0.1:\(server.port)/b"
    server.setRoute("/a", .always(.redirect(to: target)))
    server.setRoute("/short", .always(.redirect(to: String(target.dropFirst("http:".count)))))
    try await withLoader { loader in
      for path in ["/a", "/short"] {
        let sink = try await loader.body(server.url(path)).sink
        #expect(sink.body == body)
        #expect(sink.head?.url == server.url("/b"))
      }
    }
    #expect(server.requests(for: "/b").allSatisfy { $0.headers["Authorization"] == nil })
  }

  @Test(arguments: ["http://", "http://[::1", "//", "http://a b/", "http://127.0.0.1:99999/", ""])
  func aTargetThatIsNoURLIsAnErrorForGood(target: String) async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.redirect(to: target))])
    defer { server.close() }
    try await withLoader { loader in
      let sink = KeepingSink()
      let failure = await loader.failure(of: LoadRequest(url: server.url("/a")), sink: sink)
      let request = LoadRequest(url: server.url("/a"))
      let decision = failure.map { ExponentialBackoff().decision(after: $0, attempt: 1, request: request) }
      // Without a target it is treated like any other answer.
      if target.isEmpty { #expect(failure == nil && sink.head?.status == 302) } else { #expect(decision == .giveUp) }
      #expect(sink.body.isEmpty)
    }
  }

  /// Invalid UTF-8 is sent back as the bytes that came.
  @Test func aTargetThatIsNoUTF8IsAskedForByItsBytes() async throws {
    let target = [UInt8]("/caf".utf8) + [0xe9] + "/\u{e9}".utf8
    let redirect = ServerScript(
      [.send(Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ".utf8) + target + Array("\r\n\r\n".utf8))],
      keepsAlive: true)
    let server = try ScriptableServer(routes: ["/a": .always(redirect), "/*": .always(.reply(body: body))])
    defer { server.close() }
    try await withLoader { loader in
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.body == body)
      #expect(sink.head?.redirects.first?.headers["Location"] == "/caf%E9/%C3%A9")
    }
    #expect(server.requests.map(\.target) == ["/a", "/caf%E9/%C3%A9"])
  }

  /// The URL of the request is valid.
  @Test(arguments: ["http://b%FCcher.invalid/", "http://b\u{fffd}cher.invalid/"])
  func aTargetWithoutAHostThatCanBeReadIsNamed(target: String) async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.redirect(to: target))])
    defer { server.close() }
    try await withLoader { loader in
      let failure = await loader.failure(of: server.url("/a"))
      #expect(failure?.code == .network, "\(failure as Any)")
      #expect(failure?.message.contains("redirects to") == true)
    }
  }

  @Test func whatIsTheCallersOwnStaysWithItsHost() async throws {
    let other = try ScriptableServer(routes: ["/b": .always(.reply(body: [1]))])
    defer { other.close() }
    let server = try ScriptableServer(routes: [
      "/a": .always(.redirect(to: other.url("/b").absoluteString, status: 307))
    ])
    defer { server.close() }
    let kept: HTTPHeaders = [
      "Accept": "image/png", "Accept-Language": "de", "User-Agent": "Mine", "Referer": "http://c/",
      "Cache-Control": "no-cache",
      "Pragma": "no-cache", "Content-Type": "text/plain",
    ]
    let dropped: HTTPHeaders = ["X-Api-Key": "secret", "X-Token": "secret", "Origin": "http://c", "Via": "me"]
    var own = kept
    own.merge(dropped)
    try await withLoader({ $0.headers["X-Loader"] = "secret" }) { loader in
      _ = try await loader.body(
        LoadRequest(url: server.url("/a"), method: "POST", headers: own, body: Data("body".utf8)))
    }
    let sent = try #require(other.requests.first)
    for field in kept.fields { #expect(sent.headers[field.name] == field.value) }
    for field in dropped.fields { #expect(sent.headers[field.name] == nil) }
    #expect(sent.headers["X-Loader"] == nil)
    #expect(server.requests.first?.headers["X-Loader"] == "secret")
    #expect(sent.body == Array("body".utf8))
  }
}
