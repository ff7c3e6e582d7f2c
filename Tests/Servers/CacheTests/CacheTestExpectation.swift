/// The expectation of a value: none, explicitly any (`null`), or a certain value.
enum CacheTestExpectation<Value: Decodable & Sendable & Equatable>: Decodable, Sendable {
  case unsaid, anything
  case exactly(Value)

  init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    self = single.decodeNil() ? .anything : .exactly(try single.decode(Value.self))
  }
}

extension KeyedDecodingContainer {
  /// Distinguishes a missing key from `null`; the `Decodable` code that the compiler writes calls this.
  func decode<Value>(
    _ type: CacheTestExpectation<Value>.Type, forKey key: Key
  ) throws -> CacheTestExpectation<Value> {
    guard contains(key) else { return .unsaid }
    return try CacheTestExpectation(from: superDecoder(forKey: key))
  }
}
