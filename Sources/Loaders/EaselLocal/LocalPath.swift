import EaselCore
import FoundationEssentials
import Glibc

/// The path of a `file:` URL in the form that the system needs: bytes without a particular encoding.
struct LocalPath: Sendable {
  /// The bytes, followed by a null.
  private let terminated: [UInt8]

  init(_ url: URL) throws(ImageError) {
    let subject = url.absoluteString
    if let host = url.absoluteURL.host(percentEncoded: false), !host.isEmpty, host.lowercased() != "localhost" {
      throw ImageError(
        .unsupportedURL,
        "\(subject) names a file on the machine '\(host)'. A local file has no host, as in file:///path.",
        subject: subject)
    }
    let bytes = PercentEncoding.decoded(url.absoluteURL.path(percentEncoded: true).utf8)
    guard bytes.first == UInt8(ascii: "/") else {
      throw ImageError(.invalidURL, "\(subject) has no absolute path. Write it as file:///path.", subject: subject)
    }
    guard !bytes.contains(0) else {
      // The system stops reading at a null byte, and would open another file.
      throw ImageError(.invalidURL, "A path cannot contain a null byte.", subject: subject)
    }
    terminated = bytes + [0]
  }

  /// The path for messages; bytes that are not UTF-8 appear as replacement characters.
  var text: String { String(decoding: terminated.dropLast(), as: UTF8.self) }

  /// The path as a string; nil when it is not UTF-8.
  var string: String? { String(validating: terminated.dropLast(), as: UTF8.self) }

  func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    terminated.withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
  }
}
