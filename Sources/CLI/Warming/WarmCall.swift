import Easel
import EaselSupport
import FoundationEssentials

/// Sends a request for a picture, of which only the head of the answer counts.
struct WarmCall: Sendable {
  private let address: String
  private let loader: CurlLoader

  init(address: String) {
    self.address = address
    var network = CurlLoader.Configuration.program
    network.headers["Priority"] = "u=7"
    network.maximumTransfers = 256
    network.maximumTransfersPerHost = 256
    network.maximumRedirects = 0
    network.totalTimeout = .seconds(120)
    network.idleTimeout = .seconds(120)
    network.resumeStore = nil
    loader = CurlLoader(network)
  }

  func ask(_ request: WarmRequest) async -> WarmAnswer {
    guard let url = URL(string: address + request.path) else {
      return WarmAnswer(
        status: 0, failure: ImageError(.invalidURL, "The path cannot be written as an address.", subject: request.path))
    }
    let sink = HeadSink()
    var headers = HTTPHeaders()
    headers["Accept"] = request.accept ?? "*/*"
    do {
      _ = try await loader.load(LoadRequest(url: url, method: "HEAD", headers: headers), into: sink)
    } catch {
      return WarmAnswer(
        status: 0, retryAfter: .seconds(1),
        failure: ImageError(.network, "The server cannot be reached.", subject: request.source, cause: error))
    }
    let head = sink.head
    let status = head?.status ?? 0
    guard status != 200 else { return WarmAnswer(status: status) }
    let mayCome = [429, 503, 504].contains(status)
    let seconds = head?.headers["Retry-After"].flatMap { Int($0) } ?? 1
    return WarmAnswer(
      status: status, retryAfter: mayCome ? .seconds(min(max(seconds, 1), 60)) : nil,
      failure: ImageError(
        .badStatus, "The server answers with status \(status).", subject: request.source, response: head))
  }

  /// Keeps the head.
  private final class HeadSink: LoadSink {
    private let state = Locked<ResponseHead?>(nil)

    var head: ResponseHead? { state.withLock { $0 } }

    func begin(_ head: ResponseHead) async throws { state.withLock { $0 = head } }
    func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand { .more }
    func restart(at offset: Int) {}
  }
}
