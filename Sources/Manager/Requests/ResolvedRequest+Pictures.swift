import EaselCore

/// The rules by which a request accepts pictures, and the form in which it wants them.
extension ResolvedRequest {
  // MARK: Checks

  /// The checks of plug-in results against the limits of this request.
  var checks: PluginChecks { PluginChecks(limits: limits) }

  /// True unless the request requires a moving picture and this one is still.
  func accepts(_ image: Image) -> Bool { !options.contains(.requireAnimated) || image.isAnimated }

  /// Throws when the request requires a moving picture and this one is still.
  func checkMotion(of image: Image) throws(ImageError) {
    guard accepts(image) else {
      throw ImageError(
        .badImageData, "The picture does not move, but the request requires one that moves.", subject: subject)
    }
  }

  /// Throws when a picture is incomplete and the request does not accept that.
  func checkCompleteness(of image: Image) throws(ImageError) {
    guard !image.traits.contains(.partial) || decodeOptions.damaged == .show else {
      throw ImageError(
        .badImageData, "The picture is damaged and only a part of it could be decoded.", subject: subject)
    }
  }

  /// Wraps the error of a transformer.
  ///
  /// An error about data or limits that a transformer throws must not block the URL.
  func failure(ofTransformer name: String, _ error: any Error) -> ImageError {
    guard var limit = error as? ImageError, limit.code == .limitExceeded else {
      return ImageError(.transformFailed, "The \(name) failed.", subject: subject, cause: error)
    }
    limit.subject = limit.subject ?? subject
    limit.isTemporary = true
    return limit
  }

  // MARK: Where pixels come from

  /// True when the first transformer needs all pixels, so that a bitmap in memory can replace the decode.
  func needsEveryPixel(of image: Image) -> Bool {
    steps.first.flatMap { DecodePlan($0, self) }?.needsEveryPixel(of: image) ?? true
  }

  /// True when the request decodes every pixel of the original unchanged, so that a bitmap in memory can replace the
  /// decode.
  var decodesPlainly: Bool { decodeOptions == DecodeOptions() && coderName == nil && customSettings.isEmpty }

  /// True when the pixels are those of the received bytes.
  ///
  /// Either the key names no changes, or it names only transformers and the picture moves: transformers skip it then.
  func keepsReceivedPixels(_ image: Image) -> Bool {
    guard isVariant else { return true }
    let isOnlyTransformed = variantKey.suffixes.allSatisfy { $0.origin == .transformer }
    // A transformer may have made a still picture move. Such a picture is changed.
    return isOnlyTransformed && image.isAnimated && !image.traits.contains(.transformed)
      && !options.contains(.transformAnimated)
  }

  // MARK: Delivery

  /// True when the caller wants something besides the picture that takes time.
  func asksForMore(than image: Image, _ bytes: ImageBytes?) -> Bool {
    options.contains(.includeData) && bytes == nil || transformsFirstFrame(of: image)
      || options.contains(.preloadAllFrames) && image.isAnimated && !options.contains(.firstFrameOnly)
  }

  /// True when the first frame of this moving picture must be transformed; transformers skip the moving picture itself.
  func transformsFirstFrame(of image: Image) -> Bool {
    options.contains(.firstFrameOnly) && !options.contains(.transformAnimated) && image.isAnimated
      && !transformer.isIdentity
  }

  /// The picture in the form that this caller wants.
  func fitted(_ image: Image) -> Image {
    var image = options.contains(.firstFrameOnly) ? image.withoutFrames : image
    if let scale = scaleFactor, scale != image.scaleFactor { image.scaleFactor = scale }
    return image
  }
}
