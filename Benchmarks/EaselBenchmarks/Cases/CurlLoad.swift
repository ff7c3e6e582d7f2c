import EaselBenchmarkHarness
import EaselCore
import EaselTestServers
import Foundation

/// Files of one size, and the number of simultaneous loads.
struct CurlLoad {
  var name: String
  var bytes: Int
  var count: Int
  var transfers = 1
  var isEncrypted = false

  var title: String { "\(count) x \(name), \(transfers) at once\(isEncrypted ? ", HTTP/2" : "")" }

  /// True when throughput matters more than the cost of a request.
  var isLarge: Bool { bytes >= 1 << 20 }

  func atOnce(_ transfers: Int) -> CurlLoad {
    var load = self
    load.transfers = transfers
    return load
  }

  var encrypted: CurlLoad {
    var load = self
    load.isEncrypted = true
    return load
  }

  /// Writes the files and returns the server and the URL of their directory.
  func serve() async throws -> (server: NginxServer, directory: String) {
    if let missing = NginxServer.missing { throw BenchmarkUnavailable(missing) }
    let server = try await NginxServer.shared()
    let body = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 16) }
    let directory = "/bench-\(bytes)"
    for number in 0..<count { try put(body, at: "\(server.documentRoot)\(directory)/\(number).bin") }
    return (server, (isEncrypted ? server.secureURL(directory) : server.url(directory)).absoluteString)
  }

  /// Makes a new file.
  ///
  /// It does not use Foundation, which waits for the disk after each file; on a busy disk that takes minutes.
  private func put(_ body: [UInt8], at path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    guard let file = fopen(path, "we") else { throw SystemError(code: errno) }
    let isWritten = fwrite(body, 1, body.count, file) == body.count
    guard fclose(file) == 0, isWritten else { throw SystemError(code: EIO) }
  }
}
