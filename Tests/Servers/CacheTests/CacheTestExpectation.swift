/// What a cache test says of a value: nothing, that it does not matter (`null`), or what it must be.
enum CacheTestExpectation<Value: Decodable & Sendable & Equatable>: Decodable, Sendable {
  case unsaid, anything
  case exactly(Value)

  init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    self = single.decodeNil() ? .anything : .exactly(try single.decode(Value.self))
  }
}

extension KeyedDecodingContainer {
  /// Makes a missing key another thing than `null`; what the compiler writes for a type that is read calls this.
  func decode<Value>(
    _ type: CacheTestExpectation<Value>.Type, forKey key: Key
  ) throws -> CacheTestExpectation<Value> {
    guard contains(key) else { return .unsaid }
    return try CacheTestExpectation(from: superDecoder(forKey: key))
  }
}
