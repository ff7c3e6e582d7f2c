import Easel
import EaselService
import EaselSupport

/// A form of URLs and the prefix at which it is served.
struct ServedURLs: Hashable, Sendable {
  /// The forms that the server knows.
  enum Form: String, CaseIterable, Sendable {
    case imgproxy, thumbor, cloudflare, next, iiif, deepzoom

    /// The way in which its URLs are signed; nil if they cannot be.
    var signing: URLSigner.Grammar? {
      switch self {
      case .imgproxy: .imgproxy
      case .thumbor: .thumbor
      case .cloudflare, .next, .iiif, .deepzoom: nil
      }
    }

    /// The prefix that its URLs have wherever they are usual.
    fileprivate var usualPrefix: String {
      switch self {
      case .imgproxy, .thumbor: ""
      case .cloudflare: "/cdn-cgi/image"
      case .next: "/_next/image"
      case .iiif: "/iiif"
      case .deepzoom: "/deepzoom"
      }
    }
  }

  static let expectation =
    "one of \(Form.allCases.map(\.rawValue).joined(separator: ", ")), or a prefix before it such as /scans=iiif"

  let form: Form
  /// Without a slash at its end; empty for all paths that no other form has.
  let prefix: String

  /// Takes a form at its usual prefix.
  init(_ form: Form) { (self.form, prefix) = (form, form.usualPrefix) }

  /// Reads `FORM` or `PREFIX=FORM`; a prefix of one slash is none.
  init?(_ text: String) {
    let parts = text.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count <= 2, let form = parts.last.flatMap({ Form(rawValue: String($0)) }) else { return nil }
    let found: String? =
      if parts.count == 1 {
        form.usualPrefix
      } else if parts[0] == "/" {
        ""
      } else {
        ServeReading.path(String(parts[0]))
      }
    guard let prefix = found else { return nil }
    (self.form, self.prefix) = (form, prefix)
  }
}
