import EaselCore

/// The checks of headers and of decoded pictures.
extension PluginChecks {
  /// Reads the header of these bytes, and checks it against the limits.
  ///
  /// Returns nil when only decoding can find out the error.
  package func header(of bytes: ImageBytes, by coder: any ImageCoder, work: WorkContext) throws -> ImageHeader? {
    let header: ImageHeader
    do {
      header = try coder.probe(bytes, work: work)
    } catch let error as ImageError where [.limitExceeded, .decoderCrashed, .cancelled].contains(error.code) {
      throw error
    } catch {
      return nil
    }
    try check(header)
    return header
  }

  private func check(_ header: ImageHeader) throws(ImageError) {
    let source = "The header"
    try limits.check(frame: header.storedSize, claimedBy: source)
    // Frames are checked later, in the size in which they are decoded, and only if they are decoded.
    try check(frameCount: header.frameCount, loopCount: header.loopCount, claimedBy: source)
    try limits.check(frameCount: header.frameCount, claimedBy: source)
  }

  /// Decodes with the options that `options` derives from the header.
  package func decode(
    _ bytes: ImageBytes, by coder: any ImageCoder, work: WorkContext, options: (ImageHeader?) -> DecodeOptions
  ) throws -> Image {
    let header = try header(of: bytes, by: coder, work: work)
    let options = options(header)
    return try checked(coder.decode(bytes, options: options, work: work), of: header, options)
  }

  /// Returns the decoded picture; throws when it differs from the requested one.
  package func checked(
    _ image: Image, of header: ImageHeader?, _ options: DecodeOptions
  ) throws(ImageError) -> Image {
    let result = options.firstFrameOnly ? image.withoutFrames : image
    try check(result, madeBy: "The decoder")
    guard let header, !image.traits.contains(.partial) else { return result }
    let target = options.targetSize(for: header)
    guard hasExpectedSize(image.size, target: target, least: options.leastSize) else {
      throw ImageError(
        .badImageData, "The decoder made a picture of \(image.size), but by the header it must be \(target).")
    }
    return result
  }

  /// Returns a preview; nil when its size differs from that of the final picture.
  package func checked(preview image: Image, of header: ImageHeader?, _ options: DecodeOptions) -> Image? {
    guard (try? check(image, madeBy: "The decoder")) != nil else { return nil }
    if let header {
      let target = options.targetSize(for: header)
      guard hasExpectedSize(image.size, target: target, least: options.leastSize) else { return nil }
    }
    return options.firstFrameOnly ? image.withoutFrames : image
  }

  private func hasExpectedSize(_ size: PixelSize, target: PixelSize, least: PixelSize?) -> Bool {
    guard let least else { return size == target }
    // In this case, the plan asked for a drawing that is larger than its own size.
    guard least.width <= target.width, least.height <= target.height else { return size == least }
    // The coder may now read another size from the same bytes than before, so the least size may exceed the target.
    guard size.width >= least.width, size.width <= target.width, size.height >= least.height,
      size.height <= target.height
    else { return false }
    // Each side is rounded to whole pixels, so it may differ by less than one.
    let across = Double(size.width) * Double(target.height)
    let down = Double(size.height) * Double(target.width)
    return abs(across - down) <= Double(target.width) + Double(target.height)
  }
}
