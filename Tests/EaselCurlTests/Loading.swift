import EaselCore
import EaselHTTP
import EaselManager
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCurl

/// A loader that connects to loopback without a proxy and is closed after `body`.
func withLoader<Result>(
  time: SkippableTime? = nil, _ change: (inout CurlLoader.Configuration) -> Void = { _ in },
  _ body: (CurlLoader) async throws -> Result
) async throws -> Result {
  var configuration = CurlLoader.Configuration()
  // A machine that is busy with other tests must not look like a stalled server.
  configuration.idleTimeout = .seconds(300)
  configuration.connectTimeout = .seconds(300)
  configuration.leastRate = nil
  configuration.proxy = .direct
  change(&configuration)
  let loader = time.map { CurlLoader(configuration, calls: $0.calls) } ?? CurlLoader(configuration)
  do {
    let result = try await body(loader)
    loader.close()
    await loader.waitForEnd()
    return result
  } catch {
    loader.close()
    await loader.waitForEnd()
    throw error
  }
}

/// A sink that keeps its bytes, as the manager's sink does.
final class KeepingSink: LoadSink {
  private struct State {
    var heads: [ResponseHead] = []
    var restarts: [Int] = []
    var chunks = 0
    var count = 0
  }

  private let state = Watched(State())
  private let bytes = ReceivedBytes()

  var heads: [ResponseHead] { state.withLock { $0.heads } }
  var head: ResponseHead? { heads.last }
  var restarts: [Int] { state.withLock { $0.restarts } }
  var chunks: Int { state.withLock { $0.chunks } }
  var count: Int { bytes.count }
  var body: [UInt8] { (try? bytes.snapshot().withUnsafeBytes { [UInt8]($0) }) ?? [] }
  var receivedBytes: ImageBytes? { bytes.snapshot() }

  func beginAtOnce(_ head: ResponseHead) throws -> Bool {
    state.withLock { $0.heads.append(head) }
    return true
  }

  func begin(_ head: ResponseHead) async throws {
    throw ImageError(.invalidResponse, "This sink takes every head at once.")
  }

  func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand {
    guard self.bytes.append(bytes) else { return .stop }
    state.withLock { state in
      state.chunks += 1
      state.count = self.bytes.count
    }
    return .more
  }

  func restart(at offset: Int) {
    _ = bytes.truncate(to: offset)
    state.withLock { $0.restarts.append(offset) }
  }

  /// Suspends until this many bytes of the body have come.
  func waitForBytes(_ count: Int = 1) async { await state.wait { $0.count >= count } }
}

extension CurlLoader {
  /// Loads into a new sink.
  @discardableResult
  func body(_ request: LoadRequest) async throws -> (sink: KeepingSink, metrics: LoadResult.Metrics) {
    let sink = KeepingSink()
    guard case .body(let metrics?) = try await load(request, into: sink) else {
      throw ImageError(.invalidResponse, "The load ended without a body.")
    }
    return (sink, metrics)
  }

  @discardableResult
  func body(_ url: URL) async throws -> (sink: KeepingSink, metrics: LoadResult.Metrics) {
    try await body(LoadRequest(url: url))
  }

  /// The error of a load, which must fail; nil if it succeeds.
  func failure(of request: LoadRequest, sink: any LoadSink = KeepingSink()) async -> ImageError? {
    do {
      _ = try await load(request, into: sink)
      return nil
    } catch {
      return error as? ImageError ?? (error is CancellationError ? ImageError(.cancelled, "cancelled") : nil)
    }
  }

  func failure(of url: URL) async -> ImageError? { await failure(of: LoadRequest(url: url)) }
}

extension ImageError {
  var curlFailure: CurlLoader.Failure? { causes.lazy.compactMap { $0 as? CurlLoader.Failure }.first }
}
