/// An entry of a cache: a picture, its encoded bytes, or both, with their record.
///
/// This is a class, so that a memory hit costs one retain.
public final class CacheEntry: Sendable {
  /// The decoded picture.
  public let image: Image?
  /// The encoded bytes.
  public let bytes: ImageBytes?
  /// The record of the picture and the bytes.
  public let record: CacheRecord

  /// Creates an entry.
  public init(image: Image? = nil, bytes: ImageBytes? = nil, record: CacheRecord) {
    self.image = image
    self.bytes = bytes
    self.record = record
  }

  /// The bytes of memory that the entry takes.
  public var memoryCost: Int { (image?.memoryCost ?? 0) + (bytes?.memoryCost ?? 0) }

  /// Returns an entry with the same picture and bytes and another record.
  public func with(_ record: CacheRecord) -> CacheEntry { CacheEntry(image: image, bytes: bytes, record: record) }
}
