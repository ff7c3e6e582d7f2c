import EaselCore
import EaselSupport
import FoundationEssentials

/// The encoded bytes that a manager delivers, with everything that a server sends with them.
///
/// ```swift
/// let picture = try await manager.encoded(for: request, as: EncodeRecipe(.webp))
/// let fields = ["Content-Type": picture.format.mimeType, "ETag": picture.entityTag]
/// let body = try picture.bytes.data()
/// ```
public struct EncodedImage: Sendable {
  /// The bytes of the encoded file.
  public let bytes: ImageBytes
  private let request: ResolvedRequest
  /// The entry in memory; nil when a run found or made the bytes.
  private let entry: CacheEntry?
  /// The result of a run; nil when memory had the bytes.
  private let product: Product?
  private let clock: any ImageClock

  init(_ product: Product, for request: ResolvedRequest, by clock: any ImageClock) {
    bytes = product.parts.encoded.bytes
    (self.product, entry, self.request, self.clock) = (product, nil, request, clock)
  }

  /// Creates the result of a lookup in memory; returns nil if the entry does not hold encoded bytes.
  init?(_ entry: CacheEntry, for request: ResolvedRequest, by clock: any ImageClock) {
    guard let bytes = entry.bytes, entry.record.encodedSize != nil, entry.record.mimeType != nil else { return nil }
    self.bytes = bytes
    (product, self.entry, self.request, self.clock) = (nil, entry, request, clock)
  }

  /// The format of the bytes; its `mimeType` is the content type.
  public var format: ImageFormat { product?.parts.encoded.format ?? ImageFormat(mimeType: record.mimeType!) }

  /// The size of the picture in the bytes.
  public var size: PixelSize { entry?.record.encodedSize ?? product!.parts.encoded.size }

  /// True if the bytes show only a part of the picture.
  ///
  /// In that case the original is damaged, and the request allows incomplete pictures. No cache stores such bytes.
  public var isPartial: Bool { product?.parts.encoded.isPartial ?? false }

  /// The source of the bytes, or of the original that they were made from.
  public var source: ImageEvent.Source { product?.source ?? .memory }

  /// The key of the bytes in the caches.
  public var key: CacheKey { request.resultKey }

  /// The record of the original: its response, which decides how long the bytes are fresh, and its generation.
  public var record: CacheRecord { entry?.record ?? product!.record }

  /// A strong validator for the `ETag` field, with its quotes.
  ///
  /// It is computed from the bytes of the original and from all steps that changed them. Equal validators therefore
  /// mean equal bytes, in every process.
  public var entityTag: String {
    var text = "\(record.generation)"
    // A suffix cannot contain a line break, because it is part of readable keys.
    for suffix in key.suffixes { text += "\n\(suffix.origin.rawValue) \(suffix.text)" }
    return "\"\(hexadecimal(SHA256.hash(Array(text.utf8)).prefix(16)))\""
  }

  /// The head of the response, if there was one.
  ///
  /// For bytes from a cache, or made from a cached original, it is the stored head, whose `Age` tells how old the
  /// response is.
  public var response: ResponseHead? { product?.head ?? record.response?.head(at: clock.date) }

  /// The metrics of the transfer, if there was one.
  public var metrics: LoadResult.Metrics? { product?.metrics }

  /// The reason why a refresh failed and the cached bytes were used instead.
  public var revalidationError: ImageError? { product?.revalidationError }
}
