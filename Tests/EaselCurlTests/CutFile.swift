import EaselCore
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCurl

/// A file whose transfer is cut, and loads of that file.
enum CutFile {
  static let length = 100_000
  static let body = ServerBody.bytes(length)

  /// Announces a whole file and sends only its first bytes.
  static func cut(
    after count: Int, headers: [(String, String)] = [("ETag", "\"one\"")], by end: ServerStep = .reset
  ) -> ServerScript {
    ServerScript([.head(200, headers + [("Content-Length", "\(length)")]), .body(count: count), end])
  }

  /// The undamaged file.
  static func whole(_ etag: String? = "\"one\"") -> ServerFile { ServerFile(body, etag: etag) }

  /// Runs one load, whose first request gets the answer `first`.
  static func load(
    _ first: ServerScript, then: ServerRoute, _ change: (inout CurlLoader.Configuration) -> Void = { _ in }
  ) async throws -> (sink: KeepingSink, requests: [ServerRequest], failure: ImageError?) {
    let server = try ScriptableServer(routes: ["/a": ServerRoute { $0.visit == 0 ? first : then.answer($0) }])
    defer { server.close() }
    let sink = KeepingSink()
    let failure = try await withLoader(change) { loader in
      let failure = await loader.failure(of: LoadRequest(url: server.url("/a")), sink: sink)
      try Task.checkCancellation()
      return failure
    }
    return (sink, server.requests, failure)
  }

  /// Runs two loads; the first is cut in the middle.
  static func twoLoads(
    _ store: CurlLoader.ResumeStore?, keys: [CacheKey?] = [nil, nil], then: ServerFile, between: () async -> Void = {}
  ) async throws -> (sink: KeepingSink, requests: [ServerRequest]) {
    let cut = cut(after: 50_000)
    let server = try ScriptableServer(routes: ["/a": ServerRoute { $0.visit == 0 ? cut : then.answer(to: $0) }])
    defer { server.close() }
    let sink = KeepingSink()
    try await withLoader({
      $0.maximumResumptions = 0
      $0.resumeStore = store
    }) { loader in
      let failure = await loader.failure(of: LoadRequest(url: server.url("/a"), key: keys[0]))
      #expect(failure?.code == .truncatedBody)
      await between()
      _ = try await loader.load(LoadRequest(url: server.url("/a"), key: keys[1]), into: sink)
    }
    return (sink, server.requests)
  }
}
