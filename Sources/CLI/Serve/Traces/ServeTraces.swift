import Easel
import EaselObserving
import EaselSupport
import FoundationEssentials
import Glibc

/// Records traces and sends them to the collector that the settings name.
final class ServeTraces: Sendable {
  let spans: OTLPTraces
  private let isOver = Locked(false)
  private let wake = Semaphore()

  /// Nil if the settings name no collector.
  init?(_ settings: ServeSettings) {
    guard let url = settings.traces.flatMap({ Self.address($0) }) else { return nil }
    var network = CurlLoader.Configuration.program
    network.totalTimeout = .seconds(10)
    network.maximumRedirects = 0
    network.resumeStore = nil
    network.repeatsChanges = true
    let loader = CurlLoader(network)
    spans = OTLPTraces(
      version: Program.version, instance: "\(Self.host):\(getpid())", ratio: settings.traceRatio
    ) { body in
      let request = LoadRequest(
        url: url, method: "POST", headers: ["Content-Type": "application/json"], body: Data(body), byteLimit: 64 << 10)
      let sink = StatusSink()
      do { _ = try await loader.load(request, into: sink) } catch { return false }
      return (200..<300).contains(sink.status)
    }
  }

  /// The address to which spans are sent; nil for a text that is no address of the web.
  static func address(_ text: String) -> URL? {
    guard ["http://", "https://"].contains(where: text.hasPrefix), let url = URL(string: text), url.host != nil else {
      return nil
    }
    return url.path.isEmpty || url.path == "/"
      ? URL(string: (text.hasSuffix("/") ? text : text + "/") + "v1/traces") : url
  }

  private static var host: String {
    var name = utsname()
    guard uname(&name) == 0 else { return "" }
    return withUnsafeBytes(of: &name.nodename) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// Sends what has ended, each second, until ``stop()``.
  func start() {
    PlainThread.start { [self] in
      while !isOver.withLock({ $0 }) {
        _ = wake.wait(milliseconds: 1000)
        waitFor { [spans] in await spans.flush() }
      }
    }
  }

  /// Sends the rest, and ends.
  func stop() {
    isOver.withLock { $0 = true }
    wake.signal()
    waitFor { [spans] in await spans.flush() }
  }

  /// Keeps the status of an answer.
  private final class StatusSink: LoadSink {
    private let state = Locked(0)

    var status: Int { state.withLock { $0 } }

    func begin(_ head: ResponseHead) async throws { state.withLock { $0 = head.status ?? 0 } }
    func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand { .more }
    func restart(at offset: Int) {}
  }
}
