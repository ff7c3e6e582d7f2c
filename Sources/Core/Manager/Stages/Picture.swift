import FoundationEssentials

/// What a run made, before it is fitted to what each caller wants.
struct Picture: Sendable {
  var image: Image
  var source: ImageSource
  /// The encoded bytes of exactly these pixels, where they are at hand.
  var bytes: ImageBytes?
  var record: CacheRecord
  var head: ResponseHead?
  var metrics: TransferMetrics?
  var revalidationError: ImageError?
  /// What is still being stored.
  var stores: [Task<Void, Never>] = []

  /// A picture that a cache had.
  init(_ image: Image, from layer: CacheLayers, bytes: ImageBytes?, record: CacheRecord) {
    self.image = image
    source = layer == .memory ? .memory : .disk
    self.bytes = bytes
    self.record = record
  }

  /// A picture that a loader brought.
  init(_ image: Image, loadedAs transferred: Transferred, for request: ResolvedRequest, now: Date) {
    self.image = image
    source = request.loader is BytesLoader ? .bytes : .network
    switch transferred {
    case .body(let body):
      record = body.record
      record.extendedData = request.context[.extendedData]
      head = body.head
      metrics = body.metrics
      bytes = request.keepsReceivedPixels(image) ? body.bytes : nil
    case .image(_, let generation, _):
      record = CacheRecord(stored: now, generation: generation, extendedData: request.context[.extendedData])
    case .notModified:
      let none = ContentGeneration.ofNothing
      record = CacheRecord(stored: now, generation: none, extendedData: request.context[.extendedData])
    }
  }

  /// The cached picture, since it could not be refreshed.
  func kept(despite failure: ImageError) -> Picture {
    var picture = self
    picture.revalidationError = failure
    return picture
  }
}

extension ResolvedRequest {
  /// Whether the pixels are those of the received bytes: decoded plainly, and nothing transformed them.
  func keepsReceivedPixels(_ image: Image) -> Bool {
    decodesPlainly && (transformer.isIdentity || (image.isAnimated && !options.contains(.transformAnimated)))
  }
}
