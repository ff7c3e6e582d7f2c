import EaselCore

/// Fitting a picture to the wishes of one caller.
extension ImageManager {
  /// The result of a load whose picture was in memory.
  func result(of found: FoundInMemory, for request: ResolvedRequest) -> ImageResult {
    let bytes = request.options.contains(.includeData) ? found.entry.bytes : nil
    return ImageResult(
      request.fitted(found.image), from: .memory, key: request.variantKey, bytes: bytes, in: found.entry,
      by: configuration.clock)
  }

  /// Delivers the picture of a run to one load, after adding the extras that only this load asked for.
  func deliver(_ picture: Picture, _ request: ResolvedRequest, to load: Load) async throws -> ImageResult {
    if try mayDeliverAtOnce(picture, request) { return result(of: picture, for: request) }
    let completed = try await load.runAlone(for: request) { [self] shared in
      try await DeliveryRun(manager: self, request: request, picture: picture, shared: shared).make()
    }
    return result(of: completed, for: request)
  }

  @inline(never)
  private func mayDeliverAtOnce(_ picture: Picture, _ request: ResolvedRequest) throws -> Bool {
    try request.checkMotion(of: picture.image)
    let mustWait = request.options.contains(.waitStore) && !picture.stores.isEmpty
    return !mustWait && !request.asksForMore(than: picture.image, picture.bytes)
  }

  private func result(of picture: Picture, for request: ResolvedRequest) -> ImageResult {
    ImageResult(
      request.fitted(picture.image), from: picture.source, key: request.variantKey,
      bytes: request.options.contains(.includeData) ? picture.bytes : nil, of: picture,
      by: configuration.clock)
  }
}

extension ResolvedRequest {
  /// True when the caller asked for something that takes time to add.
  func asksForMore(than image: Image, _ bytes: ImageBytes?) -> Bool {
    options.contains(.includeData) && bytes == nil || transformsFirstFrame(of: image)
      || options.contains(.preloadAllFrames) && image.isAnimated && !options.contains(.firstFrameOnly)
  }

  /// True when the transformers must be applied to the first frame of this moving picture, which they skip as a whole.
  func transformsFirstFrame(of image: Image) -> Bool {
    options.contains(.firstFrameOnly) && !options.contains(.transformAnimated) && image.isAnimated
      && !transformer.isIdentity
  }

  /// The picture as this caller wants it delivered.
  func fitted(_ image: Image) -> Image {
    var image = options.contains(.firstFrameOnly) ? image.withoutFrames : image
    if let scale = scaleFactor, scale != image.scaleFactor { image.scaleFactor = scale }
    return image
  }
}
