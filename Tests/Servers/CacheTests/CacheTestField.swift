import FoundationEssentials

/// A header field in a cache test: a list of a name and a value.
///
/// In a date field a number means seconds from now.
public struct CacheTestField: Sendable, Decodable {
  /// A value.
  public enum Value: Hashable, Sendable {
    /// A literal text.
    case text(String)
    /// A number; in date fields, seconds from now.
    case number(Int)
  }

  /// The name.
  public var name: String
  /// The value; nil where a test asks only whether the field is there.
  public var value: Value?
  /// The remaining items: `true` or `false` for "check it afterwards", or the right side of a comparison.
  public var rest: [CacheTestValue] = []

  /// Reads a name, or a list that begins with a name.
  public init(from decoder: any Decoder) throws {
    if let name = try? decoder.singleValueContainer().decode(String.self) {
      self.name = name
      return
    }
    var list = try decoder.unkeyedContainer()
    name = try list.decode(String.self)
    if !list.isAtEnd {
      switch try list.decode(CacheTestValue.self) {
      case .text(let text): value = .text(text)
      case .number(let number): value = .number(number)
      case .truth(let truth): value = .text("\(truth)")
      }
    }
    while !list.isAtEnd { rest.append(try list.decode(CacheTestValue.self)) }
  }

  private static let dates: Set<String> = [
    "date", "expires", "last-modified", "if-modified-since", "if-unmodified-since",
  ]

  /// The value in the form that is sent.
  func text(now: Date) -> String {
    switch value {
    case .none: ""
    case .text(let text): text
    case .number(let number):
      Self.dates.contains(name.lowercased())
        ? WebDate.text(now.addingTimeInterval(Double(number))) : "\(number)"
    }
  }
}
