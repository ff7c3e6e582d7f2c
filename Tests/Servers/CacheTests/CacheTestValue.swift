/// A text, a number or a Boolean in the JSON of a cache test.
public enum CacheTestValue: Hashable, Sendable, Decodable {
  /// A text.
  case text(String)
  /// A number.
  case number(Int)
  /// A Boolean.
  case truth(Bool)

  /// Reads a value of any of these types.
  public init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if let truth = try? single.decode(Bool.self) {
      self = .truth(truth)
    } else if let number = try? single.decode(Int.self) {
      self = .number(number)
    } else {
      self = .text(try single.decode(String.self))
    }
  }
}
