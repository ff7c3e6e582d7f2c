import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// Answers of a server that was written for other clients.
@Suite(.tags(.alone), .enabled(if: HTTPBinServer.isAvailable, "\(HTTPBinServer.missing ?? "")"))
struct HTTPBinTests {
  @Test func aDigestIsGivenWhenAskedFor() async throws {
    let server = try await HTTPBinServer.shared()
    let url = server.url("/digest-auth/auth/me/secret")
    try await withLoader({
      $0.credentials = ["http://127.0.0.1:\(server.port)": .digest(user: "me", password: "secret")]
    }) {
      loader in
      let sink = try await loader.body(url).sink
      #expect(sink.heads.map(\.status) == [200])
      #expect(String(decoding: sink.body, as: UTF8.self).contains("true"))
    }
    try await withLoader({
      $0.credentials = ["http://127.0.0.1:\(server.port)": .digest(user: "me", password: "wrong")]
    }) {
      loader in
      let sink = try await loader.body(url).sink
      #expect(sink.heads.map(\.status) == [401])
    }
    try await withLoader { loader in
      let sink = try await loader.body(url).sink
      #expect(sink.heads.map(\.status) == [401])
    }
  }

  @Test func aPasswordOrATokenIsGiven() async throws {
    let server = try await HTTPBinServer.shared()
    let origin = "http://127.0.0.1:\(server.port)"
    try await withLoader({ $0.credentials = [origin: .basic(user: "me", password: "secret")] }) { loader in
      let right = try await loader.body(server.url("/basic-auth/me/secret")).sink
      #expect(right.head?.status == 200)
      let wrong = try await loader.body(server.url("/basic-auth/you/secret")).sink
      #expect(wrong.head?.status == 401)
    }
    try await withLoader({ $0.credentials = [origin: .bearer("token")] }) { loader in
      let sink = try await loader.body(server.url("/bearer")).sink
      #expect(String(decoding: sink.body, as: UTF8.self).contains("\"token\": \"token\""))
    }
  }

  @Test(arguments: ["gzip", "brotli", "deflate"])
  func packedBodiesAreUnpacked(path: String) async throws {
    let names = ["gzip": "gzipped", "deflate": "deflated"]
    let server = try await HTTPBinServer.shared()
    try await withLoader { loader in
      let sink = try await loader.body(server.url("/\(path)")).sink
      #expect(String(decoding: sink.body, as: UTF8.self).contains("\"\(names[path] ?? path)\": true"))
      #expect(sink.head?.expectedLength == nil)
      let pausing = RecordingSink(takesHeadAtOnce: true, pausesAfterEachChunk: true)
      let loading = Task { try await loader.load(LoadRequest(url: server.url("/\(path)")), into: pausing) }
      await pausing.waitUntilPaused()
      pausing.resumeForGood()
      _ = try await loading.value
      #expect(String(decoding: pausing.body, as: UTF8.self).contains("true"))
    }
  }

  @Test func cookiesAreKeptOnlyForThoseWhoWantThem() async throws {
    let server = try await HTTPBinServer.shared()
    func cookies(_ loader: CurlLoader, handles: Bool) async throws -> String {
      let request = LoadRequest(url: server.url("/cookies"), handlesCookies: handles)
      return String(decoding: try await loader.body(request).sink.body, as: UTF8.self)
    }
    try await withLoader { loader in
      _ = try await loader.body(server.url("/cookies/set?stray=1"))
      let none = try await cookies(loader, handles: true)
      #expect(!none.contains("stray"))
      _ = try await loader.body(LoadRequest(url: server.url("/cookies/set?kept=1"), handlesCookies: true))
      let kept = try await cookies(loader, handles: true)
      #expect(kept.contains("kept"))
      let off = try await cookies(loader, handles: false)
      #expect(!off.contains("kept"))
      loader.removeCookies()
      let removed = try await cookies(loader, handles: true)
      #expect(!removed.contains("kept"))
    }
  }

  @Test func revalidationAndStatusesPass() async throws {
    let server = try await HTTPBinServer.shared()
    try await withLoader { loader in
      let request = LoadRequest(url: server.url("/etag/one"), headers: ["If-None-Match": "one"])
      guard case .notModified = try await loader.load(request, into: KeepingSink()) else {
        Issue.record("The server's 304 was not seen.")
        return
      }
      for status in [404, 418, 500, 503] {
        let sink = try await loader.body(server.url("/status/\(status)")).sink
        #expect(sink.head?.status == status)
      }
      let redirected = try await loader.body(server.url("/redirect/5"))
      #expect(redirected.metrics.redirects == 5)
    }
  }
}
