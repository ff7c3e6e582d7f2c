import EaselCore

/// The part of a URL that a grammar reads: the path after the prefix at which it is served, and the query.
///
/// ```swift
/// let address = GrammarAddress("/cat.jpg?width=320")
/// let width = try address.parameters().first { $0.name == "width" }?.value
/// ```
public struct GrammarAddress: Hashable, Sendable {
  /// The path as it was sent, with every percent sign in place; it begins with a slash.
  public let path: Substring
  /// The query as it was sent, without the question mark; nil if there is none.
  public let query: Substring?

  private static let mostParameters = 64

  /// Takes a path, with a query after a question mark if there is one.
  public init(_ target: Substring) {
    let path = target.withoutQuery
    self.path = path.isEmpty ? "/" : path
    query = path.endIndex < target.endIndex ? target[target.utf8.index(after: path.endIndex)...] : nil
  }

  /// Creates an address from a text such as `/cat.jpg?width=320`.
  public init(_ target: String) { self.init(target[...]) }

  /// The whole path with its escapes decoded once; throws if a percent sign is not followed by two digits.
  public func decodedPath() throws(ServiceError) -> String { try Self.decoded(path) }

  /// A part of the path or of the query with its escapes decoded once.
  ///
  /// Throws if a percent sign is not followed by two digits, or if the bytes are no UTF-8.
  public static func decoded(_ text: Substring) throws(ServiceError) -> String {
    guard let plain = PercentText.decoded(text) else {
      throw ServiceError(
        400, "'\(shown(text))' has a percent sign without two digits after it, or bytes that are no UTF-8.")
    }
    return plain
  }

  /// The parameters of the query, decoded, in their order; a plus sign is a blank.
  public func parameters() throws(ServiceError) -> [(name: String, value: String)] {
    var parameters: [(name: String, value: String)] = []
    for part in (query ?? "").split(separator: "&") {
      guard parameters.count < Self.mostParameters else {
        throw ServiceError(400, "The query has more than \(Self.mostParameters) parameters.")
      }
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let texts = sides.map { $0.replacing("+", with: " ") }
      let name = try Self.decoded(texts[0][...])
      let value = try texts.count > 1 ? Self.decoded(texts[1][...]) : ""
      parameters.append((name, value))
    }
    return parameters
  }

  /// The beginning of a text that an error names, without control characters.
  public static func shown(_ text: some StringProtocol) -> String {
    let scalars = text.unicodeScalars.prefix(40).map { $0.value < 0x20 || $0.value == 0x7f ? "\u{FFFD}" : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}
