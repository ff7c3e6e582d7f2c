/// A text, a number or a truth in the JSON of a cache test.
public enum CacheTestValue: Hashable, Sendable, Codable {
  /// A text.
  case text(String)
  /// A number.
  case number(Int)
  /// A truth.
  case truth(Bool)

  /// Reads whichever it is.
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

  /// Writes it as it is.
  public func encode(to encoder: any Encoder) throws {
    var single = encoder.singleValueContainer()
    switch self {
    case .text(let text): try single.encode(text)
    case .number(let number): try single.encode(number)
    case .truth(let truth): try single.encode(truth)
    }
  }
}
