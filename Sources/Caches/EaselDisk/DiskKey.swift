import CEaselRecords
import EaselCore
import EaselRecords

/// A cache key as stored in the database: its encoded parts, and the numbers by which its row is found.
struct DiskKey {
  /// All parts, beginning with those of the original.
  let bytes: [UInt8]
  private let originalCount: Int
  let seed: UInt64
  /// The digest of the key in records.
  let digest: UInt64

  init(_ key: CacheKey, seed: UInt64) {
    var writer = ByteWriter()
    writer.write(key.original)
    writer.writeCount(key.scope.parts.count)
    for part in key.scope.parts {
      writer.write(part.name)
      writer.write(part.value)
    }
    originalCount = writer.bytes.count
    for suffix in key.suffixes {
      writer.writeCount(Int(suffix.origin.rawValue))
      writer.write(suffix.text)
    }
    bytes = writer.bytes
    self.seed = seed
    digest = key.digest
  }

  /// The number of the row.
  ///
  /// Two keys may have the same number; the stored parts tell them apart.
  var id: Int64 { bytes.withUnsafeBytes { Self.hash($0, seed) } }

  /// The number that all entries made from one original share.
  var origin: Int64 { withOriginal { Self.hash($0, seed) } }

  /// Calls `body` with the encoded parts that all keys of one original begin with.
  func withOriginal<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<originalCount])) }
  }

  func isSame(as stored: UnsafeRawBufferPointer) -> Bool {
    bytes.withUnsafeBytes { $0.count == stored.count && $0.elementsEqual(stored) }
  }

  /// Decodes a key; returns nil when the bytes are damaged.
  static func key(from bytes: UnsafeRawBufferPointer) -> CacheKey? {
    var reader = ByteReader(bytes)
    return try? read(&reader)
  }

  private static func read(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> CacheKey {
    let original = try reader.text()
    var parts: [CacheKey.Scope.Part] = []
    for _ in 0..<(try reader.count()) {
      parts.append(CacheKey.Scope.Part(name: try reader.text(), value: try reader.text()))
    }
    var suffixes: [CacheKey.Suffix] = []
    while !reader.isAtEnd {
      guard let raw = UInt8(exactly: try reader.count()), let origin = CacheKey.Suffix.Origin(rawValue: raw) else {
        throw ByteReader.Malformed()
      }
      suffixes.append(CacheKey.Suffix(try reader.text(), origin: origin))
    }
    return CacheKey(original: original, scope: CacheKey.Scope(parts: parts), suffixes: suffixes)
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> Int64 {
    Int64(bitPattern: easel_record_checksum(bytes.baseAddress, bytes.count, seed))
  }
}
