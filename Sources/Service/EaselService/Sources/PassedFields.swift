import EaselCore
import EaselHTTP
import FoundationEssentials

/// The fields of a client's request that go on to the source of the picture.
///
/// They are part of the keys of its original, and so of everything that is made of it.
package struct PassedFields: Sendable {
  /// The names of all fields that some source gets.
  let names: [String]
  private let namesForSource: @Sendable (URL) -> [String]

  /// Passes nothing on.
  package init() { self.init(names: []) { _ in [] } }

  /// Passes on the fields that a function names for the URL of a source, all of which are among `names`.
  package init(names: [String], for source: @escaping @Sendable (URL) -> [String]) {
    (self.names, namesForSource) = (names, source)
  }

  /// The names of the fields that a source gets.
  func names(for source: URL) -> [String] { names.isEmpty ? [] : namesForSource(source) }

  /// The fields that a source gets with this request.
  func fields(of request: HTTPHeaders, for source: URL) -> HTTPHeaders {
    var fields = HTTPHeaders()
    for name in names(for: source) {
      for value in request.values(of: name) { fields.add(name, value) }
    }
    return fields
  }

  /// The values on which a picture can depend, whatever its source.
  func values(of request: HTTPHeaders) -> [String] {
    names.isEmpty ? [] : names.map { request.values(of: $0).joined(separator: "\n") }
  }
}

extension HTTPHeaders {
  /// True if a field identifies a user.
  var hasCredentials: Bool { fields.contains { CredentialFields.contains($0.name) } }
}
