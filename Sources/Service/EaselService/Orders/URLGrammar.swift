import EaselCore

/// Reads what a URL of the picture server asks for.
///
/// A path goes in, an order comes out. What the order says decides the picture and the keys under which it is cached, so
/// URLs of different grammars that mean the same share their work. The service checks the source, loads it and answers.
///
/// ```swift
/// struct ThumbnailGrammar: URLGrammar {
///   let name = "thumbnails"
///   let traits: URLGrammarTraits = []
///   func order(at address: GrammarAddress) throws(ServiceError) -> ImageOrder {
///     var order = ImageOrder(source: "local://" + (try address.decodedPath()))
///     order.recipe.width = 320
///     return order
///   }
/// }
/// ```
public protocol URLGrammar: Sendable {
  /// The name in settings and errors, such as `imgproxy`.
  var name: String { get }

  /// The properties that all URLs of the grammar have.
  var traits: URLGrammarTraits { get }

  /// The order at an address; throws an error that names whatever was not understood.
  func order(at address: GrammarAddress) throws(ServiceError) -> ImageOrder
}

/// The properties of all URLs of a grammar.
public struct URLGrammarTraits: OptionSet, Sendable {
  /// The sum of the members.
  public let rawValue: Int

  /// Creates a set with the members of a sum.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Nobody can make a URL that the grammar accepts without a key.
  ///
  /// The program serves a grammar without it only if the operator names the sources that are allowed.
  public static let checksSignatures = URLGrammarTraits(rawValue: 1)
  /// The query is a part of the URL; otherwise it means nothing, and the grammar is not shown it.
  public static let readsQuery = URLGrammarTraits(rawValue: 2)
  /// Pages of every origin may read the answers, unless the server says something else.
  public static let servesEveryOrigin = URLGrammarTraits(rawValue: 4)
}

extension URLGrammar {
  /// The order of a path and query as they were sent.
  package func order(at target: Substring, now: Int) throws(ServiceError) -> ImageOrder {
    try order(at: GrammarAddress(target))
  }
}
