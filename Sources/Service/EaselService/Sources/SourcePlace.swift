import EaselCore
import FoundationEssentials

/// A place of sources that the operator has described, such as a bucket or a host.
package struct SourcePlace: Hashable, Sendable {
  /// The kinds of places, which are the schemes of their sources.
  package enum Kind: String, CaseIterable, Sendable {
    case http, https, dav, davs, s3, gs, azure, local

    /// The scheme by which such a source is loaded; nil if that is not http.
    package var webScheme: String? {
      switch self {
      case .http, .dav: "http"
      case .https, .davs: "https"
      case .s3, .gs, .azure, .local: nil
      }
    }
  }

  /// The place as the operator wrote it.
  package let name: String
  package let kind: Kind
  /// The host, which is a bucket, a container or the name of a folder where there are no hosts.
  package let host: String
  private let pattern: SourcePattern

  /// Reads a place such as `s3://bucket/folder`, `https://*.example.com` or `local://photos`.
  package init(_ text: String) throws(ImageError) {
    pattern = try SourcePattern(text, schemes: Kind.allCases.map(\.rawValue))
    guard let kind = Kind(rawValue: pattern.scheme) else {
      throw ImageError(.invalidURL, "'\(text)' is no place of sources.")
    }
    let authority = text[(text.firstRange(of: "://")?.upperBound ?? text.startIndex)...].prefix { $0 != "/" }
    (name, self.kind, host) = (text, kind, String(authority))
  }

  /// True for a source in this place.
  package func matches(_ url: URL) -> Bool {
    guard pattern.matches(url) else { return false }
    // In a name that is taken as it is, these would lead elsewhere on servers that resolve them.
    return kind.webScheme != nil
      || !url.path(percentEncoded: false).split(separator: "/").contains { $0 == "." || $0 == ".." }
  }
}
