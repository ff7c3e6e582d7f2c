import EaselCore
import FoundationEssentials

/// Keys and entries that the suites for stores and caches share.
enum StoreSamples {
  static let key = CacheKey(original: "http://a/picture.png")
  static let other = CacheKey(original: "http://a/other.png")
  static let scope = CacheKey.Scope(parts: [CacheKey.Scope.Part(name: "token", value: "1")])
  static let variant = CacheKey(original: key.original, suffixes: [CacheKey.Suffix("Flip(1,0)")])
  static let thumbnail = CacheKey(
    original: key.original,
    suffixes: [CacheKey.Suffix("Thumbnail({4,4},1)", origin: .size), CacheKey.Suffix("Flip(1,0)")])
  static let scoped = CacheKey(original: key.original, scope: scope)
  static let scopedVariant = CacheKey(original: key.original, scope: scope, suffixes: [CacheKey.Suffix("Flip(1,0)")])

  /// Keys that must all have separate entries.
  static let distinct: [CacheKey] =
    [
      key, other, variant, thumbnail, scoped, scopedVariant,
      CacheKey(original: key.original, suffixes: [CacheKey.Suffix("Flip(1,0)", origin: .setting)]),
      CacheKey(original: key.original, scope: CacheKey.Scope(parts: [CacheKey.Scope.Part(name: "token", value: "2")])),
      CacheKey(original: "http://a/picture-Flip(1,0).png"), CacheKey(original: ""), CacheKey(original: " "),
      CacheKey(original: "../../etc/passwd"), CacheKey(original: "a\u{0}b"), CacheKey(original: "a"),
      lookalikes.0, lookalikes.1,
      CacheKey(original: String(repeating: "long/", count: 2000)),
    ]

  /// The same letter, composed and decomposed: equal as Swift strings, different as keys.
  static let lookalikes = (CacheKey(original: "\u{e9}"), CacheKey(original: "e\u{301}"))

  /// The record of a picture whose bytes were encoded again.
  static let picture = CacheRecord.ImageProperties(
    format: .gif, storedSize: PixelSize(width: 5000, height: 1), orientation: .left,
    density: ImageMetadata.Density(horizontal: 72.5, vertical: 300), traits: [.thumbnail, .transformed],
    scaleFactor: 1.5,
    loopCount: 3, hasFinishedPixels: true)

  static func response(_ tag: String) -> CacheRecord.Response {
    var response = CacheRecord.Response(
      status: 200, headers: HTTPHeaders([("ETag", tag), ("Vary", "a"), ("vary", "b")]),
      requested: Date(timeIntervalSince1970: 1_000_000_000.25), received: Date(timeIntervalSince1970: 1_000_000_001.5),
      varyingFields: ["A": "1"])
    response.redirectedURL = URL(string: "http://b/picture.png?x=%20")
    response.redirectsExpire = Date(timeIntervalSince1970: 1_000_000_002.75)
    return response
  }

  static func entry(_ seed: UInt64, image: Bool = true, bytes: Bool = true) -> CacheEntry {
    let picture = ToyImage(width: 4, height: 4, seed: seed)
    let bitmap = image ? try? picture.expectedBitmap() : nil
    return CacheEntry(
      image: bitmap.map { Image($0, format: ToyImage.format) }, bytes: bytes ? picture.imageBytes : nil,
      record: .sample(generation: seed))
  }

  /// True when a record came back as it was stored.
  ///
  /// A store that compares whole keys may name the key in a record that named none.
  static func isKept(_ found: CacheRecord?, of stored: CacheRecord, under key: CacheKey) -> Bool {
    guard var found else { return false }
    if stored.keyDigest == nil, found.keyDigest == key.digest { found.keyDigest = nil }
    return found == stored
  }

  /// True when both entries have the same bytes.
  static func haveEqualBytes(_ left: CacheEntry?, _ right: CacheEntry?) -> Bool {
    guard let left = left?.bytes, let right = right?.bytes else { return left?.bytes == nil && right?.bytes == nil }
    return (try? left.withUnsafeBytes { [UInt8]($0) }) == (try? right.withUnsafeBytes { [UInt8]($0) })
  }
}
