import EaselCore
import EaselManager
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// The requests that the loader sends.
@Suite(.tags(.alone))
struct RequestTests {
  private func sent(
    _ change: (inout CurlLoader.Configuration) -> Void = { _ in }, _ request: (URL) -> LoadRequest
  ) async throws -> ServerRequest {
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: [1]))])
    defer { server.close() }
    try await withLoader(change) { loader in _ = try await loader.body(request(server.url("/a"))) }
    return try #require(server.requests.first)
  }

  @Test func theDefaultsAreSent() async throws {
    let headers = try await sent { LoadRequest(url: $0) }.headers
    #expect(headers["Accept"] == "image/*,*/*;q=0.8")
    #expect(headers["User-Agent"] == "Easel")
    #expect(headers["Accept-Encoding"] == "gzip, br, zstd")
    #expect(headers["Cookie"] == nil && headers["Authorization"] == nil)
  }

  @Test func aLoaderChangesTheDefaultsAndARequestBoth() async throws {
    let change: (inout CurlLoader.Configuration) -> Void = {
      $0.headers["User-Agent"] = "Mine"
      $0.headers["X-Loader"] = "1"
    }
    let loader = try await sent(change) { LoadRequest(url: $0) }.headers
    #expect(loader["User-Agent"] == "Mine" && loader["X-Loader"] == "1")
    let request = try await sent(change) {
      LoadRequest(url: $0, headers: ["user-agent": "Other", "Accept": "image/png", "X-Empty": ""])
    }.headers
    #expect(request["User-Agent"] == "Other" && request["Accept"] == "image/png" && request["X-Loader"] == "1")
    #expect(request["X-Empty"] == "")
    #expect(request.values(of: "Accept").count == 1)
  }

  @Test func aHandleThatWasUsedForARequestOfItsOwnSendsNothingOfItAgain() async throws {
    // A body in the answer to HEAD would spoil the connection, and the next request would be sent twice.
    let route = ServerRoute { .reply(body: $0.method == "HEAD" ? [] : [1]) }
    let server = try ScriptableServer(routes: ["/a": route])
    defer { server.close() }
    try await withLoader { loader in
      _ = try await loader.body(
        LoadRequest(url: server.url("/a"), method: "POST", headers: ["X-Once": "1"], body: Data([1, 2, 3])))
      _ = try await loader.body(server.url("/a"))
      _ = try await loader.load(LoadRequest(url: server.url("/a"), method: "HEAD"), into: KeepingSink())
      _ = try await loader.body(server.url("/a"))
    }
    #expect(server.requests.map(\.method) == ["POST", "GET", "HEAD", "GET"])
    #expect(server.requests.map { $0.headers["X-Once"] } == ["1", nil, nil, nil])
    #expect(server.requests.map(\.body.count) == [3, 0, 0, 0])
    #expect(server.requests.allSatisfy { $0.headers["Expect"] == nil })
    #expect(server.requests[0].headers["Content-Type"] == nil)
  }

  @Test(arguments: ["PUT", "PATCH", "POST"])
  func aBodyIsSentWithItsMethod(method: String) async throws {
    let request = try await sent { LoadRequest(url: $0, method: method, body: Data("abc\0d".utf8)) }
    #expect(request.method == method)
    #expect(request.body == Array("abc\0d".utf8))
  }

  @Test func anEmptyBodyIsStillABody() async throws {
    let request = try await sent { LoadRequest(url: $0, method: "POST", body: Data()) }
    #expect(request.method == "POST")
    #expect(request.headers["Content-Length"] == "0")
  }

  @Test(arguments: [("X-A", "b\r\nX-Injected: 1"), ("X-A", "b\0c"), ("X A", "b"), ("X-A:", "b"), ("", "b")])
  func aFieldThatWouldBecomeAnotherIsRefused(name: String, value: String) async throws {
    try await withLoader { loader in
      let request = LoadRequest(url: URL(string: "http://127.0.0.1:1/")!, headers: HTTPHeaders([(name, value)]))
      let failure = await loader.failure(of: request)
      #expect(failure?.code == .invalidRequest)
      try Task.checkCancellation()
    }
  }

  /// A server would wait for a body that does not come, or go on in another way than the loader expects.
  @Test(arguments: [
    ("Content-Length", "5"), ("content-length", "0"), ("Content-Length", ""), ("Transfer-Encoding", "chunked"),
    ("transfer-encoding", "identity"), ("Connection", "Upgrade"), ("Connection", "close, X-Secret"), ("TE", "gzip"),
    ("Trailer", "X-Sum"), ("Upgrade", "h2c"), ("HTTP2-Settings", "AAMAAABkAAQAAP__"), ("Expect", "100-continue"),
    ("Keep-Alive", "timeout=5"), ("Proxy-Connection", "keep-alive"),
  ])
  func aFieldThatBelongsToTheLoaderIsRefused(name: String, value: String) async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: [1]))])
    defer { server.close() }
    for isTheLoaders in [true, false] {
      try await withLoader({ if isTheLoaders { $0.headers[name] = value } }) { loader in
        let own: HTTPHeaders = isTheLoaders ? [:] : HTTPHeaders([(name, value)])
        let failure = await loader.failure(of: LoadRequest(url: server.url("/a"), headers: own))
        #expect(failure?.code == .invalidRequest)
        #expect(failure?.message.lowercased().contains(name.lowercased()) == true)
        #expect(failure?.message.contains("Leave the field out") == true)
      }
    }
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: [("Content-Length", "2"), ("Content-Length", "4"), ("Transfer-Encoding", "chunked")])
  func anotherEndOfTheBodyIsRefused(name: String, value: String) async throws {
    let server = try ScriptableServer(routes: ["/a": .echo])
    defer { server.close() }
    try await withLoader { loader in
      func request(_ headers: HTTPHeaders) -> LoadRequest {
        LoadRequest(url: server.url("/a"), method: "POST", headers: headers, body: Data([1, 2, 3]))
      }
      let failure = await loader.failure(of: request(HTTPHeaders([(name, value)])))
      #expect(failure?.code == .invalidRequest)
      for headers: HTTPHeaders in [["Content-Length": "3"], ["Connection": "close"]] {
        let sink = try await loader.body(request(headers)).sink
        #expect(sink.body == [1, 2, 3])
      }
    }
    #expect(server.requests.count == 2)
  }

  @Test(arguments: ["CONNECT", "connect"]) func aTunnelIsRefused(method: String) async throws {
    try await withLoader { loader in
      let failure = await loader.failure(of: LoadRequest(url: URL(string: "http://127.0.0.1:1/")!, method: method))
      #expect(failure?.code == .invalidRequest && failure?.message.contains("CONNECT") == true)
    }
  }

  /// The manager decides by this field whether it may store the response.
  @Test func theLoadersOwnCacheControlIsReported() async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: [1]))])
    defer { server.close() }
    try await withLoader({ $0.headers["cache-control"] = "no-store" }) { loader in
      let own = try await loader.body(server.url("/a")).sink
      #expect(own.head?.sentFields["Cache-Control"] == "no-store")
      let request = LoadRequest(url: server.url("/a"), headers: ["Cache-Control": "no-cache"])
      let other = try await loader.body(request).sink
      #expect(other.head?.sentFields["Cache-Control"] == nil)
    }
    #expect(server.requests.map { $0.headers["Cache-Control"] } == ["no-store", "no-cache"])
    try await withLoader { loader in
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.head?.sentFields.isEmpty == true)
    }
  }

  @Test func theLoadersOwnConditionsDoNotMixWithThoseOfARequest() async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.reply(304, headers: [("ETag", "\"one\"")]))])
    defer { server.close() }
    try await withLoader({ $0.headers["If-Modified-Since"] = "Sun, 06 Nov 1994 08:49:37 GMT" }) { loader in
      let request = LoadRequest(url: server.url("/a"), headers: ["If-None-Match": "\"one\""])
      _ = try await loader.load(request, into: KeepingSink())
    }
    #expect(server.requests.map { $0.headers["If-Modified-Since"] } == [nil])
    #expect(server.requests.map { $0.headers["If-None-Match"] } == ["\"one\""])
  }

  @Test func noErrorShowsAPassword() async throws {
    let server = try ScriptableServer(routes: [
      "/404": .always(.reply(404)), "/loop": .always(.redirect(to: "/loop")),
      "/other": .always(.redirect(to: "ftp://bob:s3cret@host/")), "/cut": .always(.resetting(after: 5, of: 100)),
      "/bad": .always(.junk), "/refused": .always(.redirect(to: "http://bob:s3cret@127.0.0.1:1/")),
      "/two": .always(.reply(302, headers: [("Location", "//a:s3cret@x"), ("Location", "//b:s3cret@y")])),
    ])
    defer { server.close() }
    var text: [String] = []
    try await withLoader({
      $0.maximumResumptions = 0
      $0.mayFollow = { $0.target.port != 1 }
    }) { loader in
      for path in ["/404", "/loop", "/other", "/cut", "/bad", "/refused", "/two", ""] {
        let place = path.isEmpty ? "127.0.0.1:1" : "127.0.0.1:\(server.port)"
        let url = try #require(URL(string: "http://alice:s3cret@\(place)\(path)"))
        let manager = ImageManager(
          ImageManager.Configuration(loader: loader, coder: CoderRegistry([ToyCoder()]), cache: RecordingCache()))
        let failure = await #expect(throws: ImageError.self) { try await manager.image(for: url) }
        text.append("\(try #require(failure))")
      }
    }
    #expect(text.count == 8 && text.allSatisfy { $0.contains("***@") && !$0.contains("s3cret") }, "\(text)")
  }

  @Test func credentialsAreSentToTheirServerOnly() async throws {
    let other = try ScriptableServer(routes: ["/a": .always(.reply(body: [1]))])
    defer { other.close() }
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: [1]))])
    defer { server.close() }
    try await withLoader({ $0.credentials = [server.origin: .basic(user: "me", password: "secret")] }) { loader in
      _ = try await loader.body(server.url("/a"))
      _ = try await loader.body(other.url("/a"))
      _ = try await loader.body(LoadRequest(url: server.url("/a"), headers: ["Authorization": "Own"]))
    }
    #expect(server.requests.map { $0.headers["Authorization"] } == ["Basic bWU6c2VjcmV0", "Own"])
    #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
  }

  @Test func notModifiedIsAnAnswerOfItsOwn() async throws {
    let server = try ScriptableServer(routes: ["/a": .file(ServerFile(ServerBody.bytes(100), etag: "\"one\""))])
    defer { server.close() }
    try await withLoader { loader in
      let sink = KeepingSink()
      let request = LoadRequest(url: server.url("/a"), headers: ["If-None-Match": "\"one\""])
      guard case .notModified(let head) = try await loader.load(request, into: sink) else {
        Issue.record("The load did not end as not modified.")
        return
      }
      #expect(head.status == 304)
      #expect(head.headers["ETag"] == "\"one\"")
      #expect(sink.heads.isEmpty)
      let changed = LoadRequest(url: server.url("/a"), headers: ["If-None-Match": "\"two\""])
      let body = try await loader.body(changed).sink.body
      #expect(body == ServerBody.bytes(100))
    }
  }

  @Test func anUnaskedNotModifiedIsGivenToTheSink() async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.reply(304))])
    defer { server.close() }
    try await withLoader { loader in
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.head?.status == 304)
    }
  }

  @Test func theCacheIdentityNamesWhatDecidesTheBytes() {
    func identity(_ change: (inout CurlLoader.Configuration) -> Void) -> CacheIdentity {
      var configuration = CurlLoader.Configuration()
      change(&configuration)
      return CurlLoader(configuration).cacheIdentity
    }
    #expect(identity { _ in } == .plain)
    #expect(identity { $0.maximumTransfers = 3 } == .plain)
    let one = identity { $0.credentials = ["http://a": .bearer("one")] }
    let two = identity { $0.credentials = ["http://a": .bearer("two")] }
    let language = identity { $0.headers["Accept-Language"] = "de" }
    #expect(Set([one, two, language, .plain]).count == 4)
    #expect(one == identity { $0.credentials = ["http://a": .bearer("one")] })
    #expect(one.name?.contains("one") == false)
    let others = [
      identity { $0.proxy = .url("http://proxy:3128") }, identity { $0.certificateAuthorities = "/authorities.pem" },
      identity { $0.pinnedPublicKeys = "sha256//AAAA" },
      identity { $0.clientCertificate = CurlLoader.ClientCertificate(certificateFile: "a.pem") },
      identity { $0.clientCertificate = CurlLoader.ClientCertificate(certificateFile: "a.pem", keyFile: "b.pem") },
      identity { $0.addressPolicy = .denyPrivate }, one, .plain,
    ]
    #expect(Set(others).count == others.count)
    #expect(identity { $0.proxy = .direct } == .plain)
    #expect(identity { $0.cacheIdentity = .named("mine") } == .named("mine"))
  }

  @Test func aHeadTellsWhichCookiesWereReallySent() async throws {
    let setting = ServerScript.reply(headers: [("Set-Cookie", "user=alice; Path=/")], body: [1])
    let server = try ScriptableServer(routes: [
      "/set": .always(setting), "/a": .always(.reply(headers: [("Vary", "Cookie")], body: [1])),
      "/moved": .always(.redirect(to: "/a")),
    ])
    defer { server.close() }
    try await withLoader { loader in
      func sent(_ path: String, handles: Bool = true, _ own: HTTPHeaders = [:]) async throws -> [HTTPHeaders] {
        let request = LoadRequest(url: server.url(path), headers: own, handlesCookies: handles)
        let head = try #require(try await loader.body(request).sink.head)
        return (head.redirects + [head]).map(\.sentFields)
      }
      #expect(try await sent("/set") == [[:]])
      #expect(try await sent("/a") == [["Cookie": "user=alice"]])
      #expect(try await sent("/moved") == [["Cookie": "user=alice"], ["Cookie": "user=alice"]])
      #expect(try await sent("/a", handles: false) == [[:]])
      let both = try await sent("/a", ["Cookie": "own=1"])
      #expect(both.first?.values(of: "Cookie") == server.requests.last?.headers.values(of: "Cookie"))
    }
    #expect(server.requests(for: "/a").map { $0.headers["Cookie"] != nil } == [true, true, false, true])
  }

  @Test(arguments: ["http:///a", "http:a", "https://?x"])
  func aURLWithoutAServerIsInvalid(text: String) async throws {
    let url = try #require(URL(string: text))
    try await withLoader { loader in
      let failure = await loader.failure(of: url)
      #expect(failure?.code == .invalidURL)
      try Task.checkCancellation()
    }
  }
}
