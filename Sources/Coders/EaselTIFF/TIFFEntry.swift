/// One entry of a directory.
struct TIFFEntry: Sendable {
  let tag: Int
  /// The number of the type, such as 3 for words of 16 bits.
  let type: Int
  let count: Int
  /// The offset of the first value.
  let place: Int

  /// The number of bytes of a value, by type.
  private static let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4]
  private static let bigSizes = [16: 8, 17: 8, 18: 8]

  /// The number of bytes of one value; nil for an unknown type.
  var valueBytes: Int? { Self.sizes[type] ?? Self.bigSizes[type] }

  /// The number of bytes of all values; nil for an unknown type, or if the number is impossible.
  var byteCount: Int? {
    guard let valueBytes else { return nil }
    let (bytes, overflows) = count.multipliedReportingOverflow(by: valueBytes)
    return overflows ? nil : bytes
  }
}
