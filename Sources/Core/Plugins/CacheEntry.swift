extension CacheEntry {
  /// An entry that a cache found, and the layer that it came from.
  public struct Hit: Sendable {
    /// The entry that was found.
    public let entry: CacheEntry
    /// The layer that the entry came from.
    public let layer: CacheLayers

    /// Combines an entry with the layer that it came from.
    public init(_ entry: CacheEntry, in layer: CacheLayers) {
      self.entry = entry
      self.layer = layer
    }
  }
}

/// An entry of a cache: a picture, its encoded bytes, or both, with their record.
///
/// This is a class, so that a memory hit costs one retain.
public final class CacheEntry: Sendable {
  /// The digest in the record, or 0. It is kept outside the record, because reading the record copies it.
  // This field is first, next to other fields that each hit in memory reads.
  let keyDigest: UInt64
  /// The decoded picture.
  public let image: Image?
  /// The encoded bytes.
  public let bytes: ImageBytes?
  /// The record of the picture and the bytes.
  public let record: CacheRecord

  /// Combines a picture, its bytes, or both, with their record.
  public init(image: Image? = nil, bytes: ImageBytes? = nil, record: CacheRecord) {
    self.image = image
    self.bytes = bytes
    self.record = record
    keyDigest = record.keyDigest ?? 0
  }

  /// The bytes of memory that the entry takes.
  public var memoryCost: Int { (image?.memoryCost ?? 0) + (bytes?.memoryCost ?? 0) }

  /// Returns an entry with the same picture and bytes and another record.
  public func with(_ record: CacheRecord) -> CacheEntry { CacheEntry(image: image, bytes: bytes, record: record) }
}
