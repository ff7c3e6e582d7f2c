import AsyncHTTPClient
import EaselCore
import EaselTestSupport
import FoundationEssentials
import NIOHTTP1
import Testing

@testable import EaselAsyncHTTPClient

@Suite(.serialized)
struct RedirectTests {
  private func withServers(
    _ answer: @escaping @Sendable (_ path: String, _ other: URL) -> OriginServer.Answer,
    _ body: (_ first: OriginServer, _ second: OriginServer) async throws -> Void
  ) async throws {
    let second = try await OriginServer { _ in .bytes([7]) }
    let other = second.url("/b.png")
    let first = try await OriginServer { answer($0.uri, other) }
    try await body(first, second)
    try await first.close()
    try await second.close()
  }

  @Test func secretsStayWithTheirServer() async throws {
    try await withServers({ path, other in
      path == "/a" ? .redirect(to: "/again") : .redirect(to: other.absoluteString)
    }) { first, second in
      try await withLoader { loader in
        var request = LoadRequest(url: first.url("/a"))
        request.headers = [
          "Authorization": "Bearer x", "X-Api-Key": "y", "Cookie": "z", "Referer": "http://site.test/",
          "Accept-Language": "de", "If-None-Match": "\"a\"",
        ]
        let (body, head) = try await loader.fetch(request)
        #expect(body == [7] && head?.url == second.url("/b.png"))
        #expect(head?.redirects.map(\.url) == [first.url("/a"), first.url("/again")])
      }
      let sent = first.record.requests.map(\.headers)
      #expect(sent.map { $0["X-Api-Key"] } == [["y"], ["y"]] && sent[0]["If-None-Match"] == ["\"a\""])
      #expect(sent[1]["If-None-Match"].isEmpty)
      let foreign = try #require(second.record.requests.first).headers
      for name in ["Authorization", "X-Api-Key", "Cookie", "If-None-Match"] { #expect(foreign[name].isEmpty) }
      #expect(foreign["Referer"] == ["http://site.test/"] && foreign["Accept-Language"] == ["de"])
    }
  }

  @Test func namedFieldsGoOn() async throws {
    try await withServers({ _, other in .redirect(to: other.absoluteString) }) { first, second in
      var settings = HTTPClientLoader.Configuration()
      settings.headersForAnyone = ["x-site"]
      settings.headers["X-Site"] = "s"
      try await withLoader(settings) { loader in _ = try await loader.fetch(LoadRequest(url: first.url("/a"))) }
      #expect(second.record.requests.first?.headers["X-Site"] == ["s"])
    }
  }

  @Test(arguments: [(HTTPResponseStatus.seeOther, "GET"), (.found, "GET"), (.temporaryRedirect, "POST")])
  func methodsChangeAsTheStatusSays(status: HTTPResponseStatus, method: String) async throws {
    try await withServers({ path, _ in path == "/a" ? .redirect(to: "/b", status) : .bytes([1]) }) { first, _ in
      try await withLoader { loader in
        var request = LoadRequest(url: first.url("/a"), method: "POST", body: Data([1, 2]))
        request.headers["Content-Type"] = "application/json"
        _ = try await loader.fetch(request)
      }
      let second = try #require(first.record.requests.last)
      #expect(second.method.rawValue == method && second.headers.contains(name: "Content-Type") == (method == "POST"))
    }
  }

  @Test func theHookDecides() async throws {
    try await withServers({ _, other in .redirect(to: other.absoluteString) }) { first, second in
      var settings = HTTPClientLoader.Configuration()
      settings.mayFollow = { source, target in target.port == source.port }
      try await withLoader(settings) { loader in
        #expect(await loader.failure(LoadRequest(url: first.url("/a")))?.message.contains("refused") == true)
      }
      #expect(second.record.requests.isEmpty)
    }
  }

  @Test func circlesAndOtherSchemesEnd() async throws {
    let places = ["/file": "file:///etc/passwd", "/round": "/round"]
    try await withServers({ path, _ in .redirect(to: places[path] ?? "/") }) { first, _ in
      try await withLoader { loader in
        #expect(await loader.failure(LoadRequest(url: first.url("/file")))?.code == .unsupportedURL)
        let error = await loader.failure(LoadRequest(url: first.url("/round")))
        #expect(error?.code == .network && error?.message.contains("more than 10") == true)
      }
      #expect(first.record.requests.count == 12)
    }
  }

  @Test func aClientThatRedirectsByItselfIsRefused() async throws {
    try await withServers({ path, _ in path == "/a" ? .redirect(to: "/b") : .bytes([1]) }) { first, _ in
      try await withLoader(client: { $0.redirectConfiguration = .follow(max: 5, allowCycles: false) }) { loader in
        let error = await loader.failure(LoadRequest(url: first.url("/a")))
        #expect(error?.code == .invalidRequest && error?.message.contains(".disallow") == true)
        let other = try await loader.fetch(LoadRequest(url: first.url("/b")))
        #expect(other.body == [1])
      }
    }
  }

  @Test func onlyTheURLThatWasAskedConfirms() async throws {
    try await withServers({ path, _ in
      path == "/moved" ? .redirect(to: "/a") : .init(status: .notModified, headers: ["ETag": "\"a\""])
    }) { first, _ in
      try await withLoader { loader in
        var request = LoadRequest(url: first.url("/a"))
        request.headers["If-None-Match"] = "\"a\""
        guard case .notModified(let head) = try await loader.load(request, into: RecordingSink()) else {
          Issue.record("The answer is not taken as a confirmation.")
          return
        }
        #expect(head.status == 304)
        request.url = first.url("/moved")
        #expect(await loader.failure(request)?.code == .notModified)
      }
    }
  }
}
