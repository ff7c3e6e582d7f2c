import FoundationEssentials

/// The picture that a run made, before it is fitted to each caller.
typealias Picture = Boxed<PictureParts>

struct PictureParts: Sendable {
  var image: Image
  var source: ImageSource
  /// The encoded bytes of exactly these pixels, if they are available.
  var bytes: ImageBytes?
  var record: CacheRecord
  var head: ResponseHead?
  var metrics: TransferMetrics?
  var revalidationError: ImageError?
  /// The stores that are still running.
  var stores: [Task<Void, Never>] = []
}

extension Picture {
  /// Creates a picture from a cache.
  init(_ image: Image, from layer: CacheLayers, bytes: ImageBytes?, record: CacheRecord) {
    self.init(PictureParts(image: image, source: layer == .memory ? .memory : .disk, bytes: bytes, record: record))
  }

  /// Creates a picture from a loader.
  init(_ image: Image, loadedAs transferred: Transferred, for request: ResolvedRequest, now: Date) {
    let data = request.context[.extendedData]
    let none = CacheRecord(stored: now, generation: ContentGeneration.ofNothing, extendedData: data)
    var parts = PictureParts(image: image, source: request.bytesAtHand == nil ? .network : .bytes, record: none)
    switch transferred {
    case .body(let body):
      parts.record = body.record
      parts.record.extendedData = data
      parts.head = body.head
      parts.metrics = body.metrics
      parts.bytes = request.keepsReceivedPixels(image) ? body.bytes : nil
    case .image(_, let generation, _): parts.record.generation = generation
    case .notModified: break
    }
    self.init(parts)
  }

  /// The cached picture with the error of its failed refresh.
  func kept(despite failure: ImageError) -> Picture {
    var picture = self
    picture.revalidationError = failure
    return picture
  }
}

extension ResolvedRequest {
  /// True when the pixels are those of the received bytes.
  ///
  /// Either the key names no changes, or the picture moves and the key names only transformers, which skip it.
  func keepsReceivedPixels(_ image: Image) -> Bool {
    guard isVariant else { return true }
    let isOnlyTransformed = variantKey.suffixes.allSatisfy { $0.origin == .transformer }
    // A transformer may have made a still picture move. Such a picture has changed.
    return isOnlyTransformed && image.isAnimated && !image.traits.contains(.transformed)
      && !options.contains(.transformAnimated)
  }
}
