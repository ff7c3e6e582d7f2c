import EaselCore
import FoundationEssentials

extension CacheRecord {
  /// A record for tests that ignore its content.
  public static func sample(generation: UInt64 = 1) -> CacheRecord {
    CacheRecord(stored: Date(timeIntervalSince1970: 1_000_000_000), generation: generation)
  }
}

extension CacheEntry {
  /// An entry of bytes that are no picture, for tests of stores.
  package static func plain(
    _ bytes: [UInt8], generation: UInt64 = 1, stored: TimeInterval = 1000
  ) -> CacheEntry {
    CacheEntry(
      bytes: ImageBytes(bytes),
      record: CacheRecord(stored: Date(timeIntervalSince1970: stored), generation: generation, mimeType: "image/png"))
  }

  /// The bytes, to compare.
  package var plainBytes: [UInt8]? { try? bytes?.withUnsafeBytes { Array($0) } }

  /// The entry of a toy picture, with its decoded image, its bytes, or both.
  public static func sample(
    _ picture: ToyImage = ToyImage(width: 4, height: 4), hasImage: Bool = true, hasBytes: Bool = true,
    record: CacheRecord = .sample()
  ) throws -> CacheEntry {
    CacheEntry(
      image: hasImage ? Image(try picture.expectedBitmap(), format: ToyImage.format) : nil,
      bytes: hasBytes ? picture.imageBytes : nil, record: record)
  }
}
