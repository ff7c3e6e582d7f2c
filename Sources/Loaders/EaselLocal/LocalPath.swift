import EaselCore
import FoundationEssentials
import Glibc

/// The path that a `file:` URL means, as the system wants it: bytes, in no encoding in particular.
struct LocalPath: Sendable {
  /// The bytes, and a null behind them.
  private let terminated: [UInt8]

  init(_ url: URL) throws(ImageError) {
    let subject = url.absoluteString
    if let host = url.absoluteURL.host(percentEncoded: false), !host.isEmpty, host.lowercased() != "localhost" {
      throw ImageError(
        .unsupportedURL,
        "\(subject) names a file of the machine '\(host)'; a file of this one has no host, as in file:///path.",
        subject: subject)
    }
    let bytes = PercentEncoding.decoded(url.absoluteURL.path(percentEncoded: true).utf8)
    guard bytes.first == UInt8(ascii: "/") else {
      throw ImageError(.invalidURL, "\(subject) has no absolute path, as in file:///path.", subject: subject)
    }
    guard !bytes.contains(0) else {
      // The system would stop reading there, and open another file than the one named.
      throw ImageError(.invalidURL, "A path cannot hold a null byte.", subject: subject)
    }
    terminated = bytes + [0]
  }

  /// For people; bytes that are no UTF-8 look damaged.
  var text: String { String(decoding: terminated.dropLast(), as: UTF8.self) }

  /// The path as a string that means the same; nil where it is no UTF-8.
  var string: String? { String(validating: terminated.dropLast(), as: UTF8.self) }

  func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    terminated.withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
  }
}
