import FoundationEssentials

/// The picture that a run made, before it is fitted to each caller.
struct Picture: Sendable {
  private struct Parts: Sendable {
    var image: Image
    var source: ImageSource
    var bytes: ImageBytes?
    var record: CacheRecord
    var head: ResponseHead?
    var metrics: TransferMetrics?
    var revalidationError: ImageError?
    var stores: [Task<Void, Never>] = []
  }

  private final class Box: Sendable {
    let parts: Parts
    init(_ parts: Parts) { self.parts = parts }
  }

  // A single reference keeps the value small, because it lies in the frames of thousands of waiting callers.
  private var box: Box

  private var parts: Parts {
    get { box.parts }
    set { box = Box(newValue) }
  }

  var image: Image {
    get { box.parts.image }
    set { parts.image = newValue }
  }

  var source: ImageSource {
    get { box.parts.source }
    set { parts.source = newValue }
  }

  /// The encoded bytes of exactly these pixels, if they are available.
  var bytes: ImageBytes? {
    get { box.parts.bytes }
    set { parts.bytes = newValue }
  }

  var record: CacheRecord {
    get { box.parts.record }
    set { parts.record = newValue }
  }

  var head: ResponseHead? {
    get { box.parts.head }
    set { parts.head = newValue }
  }

  var metrics: TransferMetrics? { box.parts.metrics }

  var revalidationError: ImageError? { box.parts.revalidationError }

  /// The stores that are still running.
  var stores: [Task<Void, Never>] {
    get { box.parts.stores }
    set { parts.stores = newValue }
  }

  /// Creates a picture from a cache.
  init(_ image: Image, from layer: CacheLayers, bytes: ImageBytes?, record: CacheRecord) {
    box = Box(Parts(image: image, source: layer == .memory ? .memory : .disk, bytes: bytes, record: record))
  }

  /// Creates a picture from a loader.
  init(_ image: Image, loadedAs transferred: Transferred, for request: ResolvedRequest, now: Date) {
    let data = request.context[.extendedData]
    let none = CacheRecord(stored: now, generation: ContentGeneration.ofNothing, extendedData: data)
    var parts = Parts(image: image, source: request.hasBytesAtHand ? .bytes : .network, record: none)
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
    box = Box(parts)
  }

  /// The cached picture with the error of its failed refresh.
  func kept(despite failure: ImageError) -> Picture {
    var picture = self
    picture.parts.revalidationError = failure
    return picture
  }
}

extension ResolvedRequest {
  /// True when the pixels are those of the received bytes: the key names no changes, or only transformers, which leave
  /// moving pictures unchanged.
  func keepsReceivedPixels(_ image: Image) -> Bool {
    guard isVariant else { return true }
    let isOnlyTransformed = variantKey.suffixes.allSatisfy { $0.origin == .transformer }
    // A transformer may also have turned a still picture into a moving one, which is then a changed picture.
    return isOnlyTransformed && image.isAnimated && !image.traits.contains(.transformed)
      && !options.contains(.transformAnimated)
  }
}
