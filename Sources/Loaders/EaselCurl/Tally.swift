import CEaselCurl
import EaselCore

/// What the legs of a load took, added up.
struct Tally {
  private var bytes = 0
  private var metrics = TransferMetrics()

  /// Adds a leg that is over.
  mutating func add(_ easy: OpaquePointerToCurl) {
    func time(_ info: CURLINFO) -> Duration? {
      let microseconds = easel_easy_size(easy, info)
      return microseconds > 0 ? .microseconds(microseconds) : nil
    }
    metrics.nameLookup = time(CURLINFO_NAMELOOKUP_TIME_T)
    metrics.connect = time(CURLINFO_CONNECT_TIME_T)
    metrics.secureConnect = time(CURLINFO_APPCONNECT_TIME_T)
    // Times of a leg count from its own start.
    metrics.firstByte = time(CURLINFO_STARTTRANSFER_TIME_T).map { metrics.total + $0 }
    metrics.total += time(CURLINFO_TOTAL_TIME_T) ?? .zero
    metrics.bytesReceived += Int(easel_easy_size(easy, CURLINFO_SIZE_DOWNLOAD_T))
    metrics.bytesReceived += easel_easy_number(easy, CURLINFO_HEADER_SIZE)
    metrics.reusedConnection = easel_easy_number(easy, CURLINFO_NUM_CONNECTS) == 0
    metrics.protocolName = Self.name(easel_easy_number(easy, CURLINFO_HTTP_VERSION)) ?? metrics.protocolName
  }

  /// Whether the last leg went over a connection that was there already.
  var wasReused: Bool { metrics.reusedConnection }

  func metrics(redirects: Int) -> TransferMetrics {
    var metrics = metrics
    metrics.redirects = redirects
    return metrics
  }

  private static func name(_ version: Int) -> String? {
    switch version {
    case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
    case Int(CURL_HTTP_VERSION_1_1): "HTTP/1.1"
    case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
    default: nil
    }
  }
}
