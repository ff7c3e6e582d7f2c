import EaselCore
import FoundationEssentials

/// Bytes that contain their own number, so that a reader can tell whole bodies from torn ones.
enum ChildBody {
  static func entry(number: Int, version: Int, count: Int) -> CacheEntry {
    var bytes = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: version), UInt8(version >> 8 & 255)]
    bytes += (3..<max(4, count)).map { UInt8(truncatingIfNeeded: $0 &* 13 ^ $0 >> 8 &+ number &* 31 &+ version &* 7) }
    return CacheEntry(
      bytes: ImageBytes(bytes),
      record: CacheRecord(stored: Date(timeIntervalSince1970: 1_000_000_000), generation: UInt64(version)))
  }

  static func key(_ number: Int) -> CacheKey { CacheKey(original: "http://example.org/\(number).png") }
}
