import EaselCore
import FoundationEssentials

/// The result of a load: the picture, and where it came from.
///
/// ```swift
/// let result = try await manager.result(for: request)
/// if let type = result.response?.mimeType { print("\(result.image.size) from \(type)") }
/// ```
public struct ImageResult: Sendable {
  /// The finished picture.
  public let image: Image
  /// The source of the picture.
  public let source: ImageEvent.Source
  /// The key of the picture in the caches.
  public let key: CacheKey
  /// The encoded bytes of the picture, if the options contain `includeData`.
  public let bytes: ImageBytes?
  /// Details from the run that made the picture; nil when the picture was in memory.
  private let product: Product?
  /// The entry in memory; nil when the picture came from a run.
  private let entry: CacheEntry?
  private let clock: any ImageClock

  /// Creates the result of a run.
  init(_ product: Product, for request: ResolvedRequest, by clock: any ImageClock) {
    let (image, bytes) = product.parts.picture
    self.image = request.fitted(image)
    self.bytes = request.options.contains(.includeData) ? bytes : nil
    (source, key) = (product.source, request.variantKey)
    (self.product, entry, self.clock) = (product, nil, clock)
  }

  /// Creates the result of a lookup in memory.
  init(_ found: MemoryHit, for request: ResolvedRequest, by clock: any ImageClock) {
    image = request.fitted(found.image)
    bytes = request.options.contains(.includeData) ? found.entry.bytes : nil
    (source, key) = (.memory, request.variantKey)
    (product, entry, self.clock) = (nil, found.entry, clock)
  }

  /// The generation of the original; 0 if it is not known.
  package var generation: UInt64 { product?.record.generation ?? entry?.record.generation ?? 0 }

  /// The caller's own data that is stored with the picture.
  public var extendedData: Data? { product?.record.extendedData ?? entry?.record.extendedData }

  /// The head of the response, if there was one.
  ///
  /// For a picture from a cache, it is the stored head, whose `Age` tells how old the response is.
  public var response: ResponseHead? {
    product?.head ?? (product?.record ?? entry?.record)?.response?.head(at: clock.date)
  }

  /// The metrics of the transfer, if there was one.
  public var metrics: LoadResult.Metrics? { product?.metrics }

  /// The reason why a refresh failed and the cached picture was used instead.
  public var revalidationError: ImageError? { product?.revalidationError }
}
