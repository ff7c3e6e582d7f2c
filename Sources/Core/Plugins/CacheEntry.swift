/// What a cache keeps under a key: the picture, its bytes, or both, with their record.
///
/// A reference, so that a memory hit costs one retain.
public final class CacheEntry: Sendable {
  /// The decoded picture.
  public let image: Image?
  /// The encoded bytes.
  public let bytes: ImageBytes?
  /// What is known about them.
  public let record: CacheRecord

  /// Creates an entry.
  public init(image: Image? = nil, bytes: ImageBytes? = nil, record: CacheRecord) {
    self.image = image
    self.bytes = bytes
    self.record = record
  }

  /// The memory that it takes.
  public var memoryCost: Int { (image?.memoryCost ?? 0) + (bytes?.memoryCost ?? 0) }

  /// The same picture and bytes with another record.
  public func with(_ record: CacheRecord) -> CacheEntry { CacheEntry(image: image, bytes: bytes, record: record) }
}
