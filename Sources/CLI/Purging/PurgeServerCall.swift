import Easel
import EaselSupport
import FoundationEssentials

/// Sends a purge request to a server, and reads the server's report.
struct PurgeServerCall: Sendable {
  /// The report of a server.
  struct Report: Decodable, Sendable {
    struct Server: Decodable, Sendable {
      let name: String
      let standing: String
    }

    let number: Int
    let complete: Bool
    let servers: [Server]
    let notes: [String]
  }

  /// The address of the server, without a trailing slash.
  let address: String

  /// Returns nil if the text is no address.
  init?(_ text: String) {
    let whole = text.contains("://") ? text : "http://\(text)"
    guard ["http://", "https://"].contains(where: { whole.lowercased().hasPrefix($0) && whole.count > $0.count }),
      !whole.contains("?"), !whole.contains("#")
    else { return nil }
    address = whole.hasSuffix("/") ? String(whole.dropLast()) : whole
  }

  /// Sends the request, and blocks until the report arrives.
  func send(_ target: String) throws(ImageError) -> Report {
    guard let url = URL(string: address + target) else {
      throw ImageError(.invalidURL, "The address of the server cannot be read.", subject: address)
    }
    var network = CurlLoader.Configuration.program
    network.totalTimeout = .seconds(30)
    let loader = CurlLoader(network)
    let result = waitFor { () async -> Result<Answer, any Error> in
      let answer = Answer()
      do {
        _ = try await loader.load(LoadRequest(url: url, method: "POST", byteLimit: Answer.most), into: answer)
        return .success(answer)
      } catch {
        return .failure(error)
      }
    }
    let answer: Answer
    do {
      answer = try result.get()
    } catch {
      throw ImageError(
        .network, "The server cannot be reached. Name its metrics address, or sign the request.", subject: address,
        cause: error)
    }
    let (status, bytes) = answer.content
    guard status == 200 || status == 202, let report = try? JSONDecoder().decode(Report.self, from: Data(bytes)) else {
      let text = String(decoding: bytes.prefix(500), as: UTF8.self).trimmed
      throw ImageError(
        .badStatus, "The server answers with status \(status)\(text.isEmpty ? "." : ": \(printable(text))")",
        subject: address)
    }
    return report
  }

  /// Collects the body of a response with any status.
  private final class Answer: LoadSink {
    static let most = 4 << 20
    private let state = Locked<(status: Int, bytes: [UInt8])>((0, []))

    var content: (status: Int, bytes: [UInt8]) { state.withLock { $0 } }

    func begin(_ head: ResponseHead) async throws { state.withLock { $0 = (head.status ?? 0, []) } }

    func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand {
      state.withLock { state in
        state.bytes += bytes
        return state.bytes.count <= Self.most ? .more : .stop
      }
    }

    func restart(at offset: Int) { state.withLock { $0.bytes.removeLast(max(0, $0.bytes.count - offset)) } }
  }
}
