import EaselSupport
import EaselTestSupport
import FoundationEssentials

@testable import EaselCore

/// A server whose pictures change, differ by token and are encrypted on request; it answers 304 if possible.
final class ChangingServer: ImageLoader {
  private struct State {
    var versions: [URL: Int] = [:]
    var random: SeededRandom
    var calls = 0
  }

  let cacheIdentity = CacheIdentity.plain
  private let failsOnceIn: Int
  private let state: Locked<State>

  init(seed: UInt64, failsOnceIn: Int = 12) {
    self.failsOnceIn = failsOnceIn
    state = Locked(State(random: SeededRandom(seed: seed)))
  }

  var callCount: Int { state.withLock { $0.calls } }

  func version(of url: URL) -> Int { state.withLock { $0.versions[url] ?? 1 } }

  func change(_ url: URL) { state.withLock { $0.versions[url] = ($0.versions[url] ?? 1) + 1 } }

  /// The picture of a URL for a token, in the given version.
  static func picture(_ url: URL, version: Int, token: String?) -> ToyImage {
    let text = "\(url.absoluteString)|\(token ?? "")|\(version)"
    let seed = text.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return ToyImage(width: 6, height: 5, seed: seed)
  }

  func canLoad(_ url: URL) -> Bool { true }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    let (version, fails, pauses) = state.withLock { state in
      state.calls += 1
      let fails = Int(state.random.next() % UInt64(failsOnceIn)) == 0
      return (state.versions[request.url] ?? 1, fails, Int(state.random.next() % 4))
    }
    for _ in 0..<pauses { await Task.yield() }
    if fails { throw ImageError(.network, "The line is cut.", subject: request.url.absoluteString) }
    let token = request.headers["Authorization"]
    let tag = "\"\(version)-\(token ?? "")\""
    let headers: HTTPHeaders = ["ETag": tag]
    if request.headers["If-None-Match"] == tag {
      return .notModified(ResponseHead(status: 304, headers: headers))
    }
    var bytes = Self.picture(request.url, version: version, token: token).bytes
    if let key = request.headers["X-Encrypt"].flatMap({ UInt8($0) }) { bytes = bytes.map { $0 ^ key } }
    let head = ResponseHead(url: request.url, status: 200, headers: headers, expectedLength: bytes.count)
    if try !sink.beginAtOnce(head) { try await sink.begin(head) }
    for start in stride(from: 0, to: bytes.count, by: 60) {
      try Task.checkCancellation()
      if bytes[start..<min(start + 60, bytes.count)].withUnsafeBytes(sink.append) == .stop {
        throw CancellationError()
      }
      for _ in 0..<pauses { await Task.yield() }
    }
    return .body(nil)
  }
}
