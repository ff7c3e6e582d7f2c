import CEaselCurl
import EaselCore

/// Adds up the times and the bytes of all steps of a load.
struct TransferTotals {
  private var last = easel_figures()
  private var firstByte: Int64?
  private var total: Int64 = 0
  private var bytes = 0
  private var version = 0

  /// Adds a finished step.
  mutating func add(_ easy: OpaquePointerToCurl) {
    last = easel_easy_figures(easy)
    // curl counts the times of a step from the beginning of that step.
    firstByte = last.first_byte > 0 ? total + last.first_byte : nil
    total += last.total
    bytes += Int(last.body_bytes) + last.head_bytes
    if last.http_version != 0 { version = last.http_version }
  }

  /// True when the last step used an existing connection.
  var wasReused: Bool { last.new_connections == 0 }

  /// True when no byte arrived in the last step.
  var receivedNothing: Bool { last.head_bytes == 0 && last.body_bytes == 0 }

  func metrics(redirectCount: Int) -> LoadResult.Metrics {
    func time(_ microseconds: Int64) -> Duration? { microseconds > 0 ? .microseconds(microseconds) : nil }
    return LoadResult.Metrics(
      nameLookup: time(last.name_lookup), connect: time(last.connect), secureConnect: time(last.secure_connect),
      firstByte: firstByte.map { .microseconds($0) }, total: .microseconds(total), bytesReceived: bytes,
      reusedConnection: wasReused, protocolName: protocolName, redirects: redirectCount)
  }

  private var protocolName: String? {
    switch version {
    case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
    case Int(CURL_HTTP_VERSION_1_1): "HTTP/1.1"
    case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
    default: nil
    }
  }
}
