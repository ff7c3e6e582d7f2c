/// Checks the headers, pictures, frames and plans of plug-ins against the limits and the request.
///
/// The size of a body is checked where it arrives, in `BodySink`, and after a decryptor in `TransferRun`.
struct PluginChecks: Sendable {
  let limits: Limits

  // MARK: Headers

  /// The header of these bytes, checked against the limits.
  ///
  /// Returns nil when only decoding can tell the error.
  func header(of bytes: ImageBytes, by coder: any ImageCoder, work: WorkContext) throws -> ImageHeader? {
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
    // Frames are checked in the size in which they are decoded, if they are.
    try check(frameCount: header.frameCount, loopCount: header.loopCount, claimedBy: source)
    try limits.check(frameCount: header.frameCount, claimedBy: source)
  }

  // MARK: Pictures

  /// Throws when a picture from a plug-in is invalid or exceeds a limit.
  func check(_ image: Image, madeBy maker: String) throws(ImageError) {
    try limits.check(frame: image.size, claimedBy: maker)
    try limits.check(metadataBytes: image.metadata.memoryCost, claimedBy: maker)
    guard let frames = image.frames else { return }
    try limits.check(frame: frames.canvasSize, claimedBy: maker)
    try check(frameCount: frames.count, loopCount: frames.loopCount, claimedBy: maker)
    try limits.check(frameCount: frames.count, of: frames.canvasSize, claimedBy: maker)
    guard frames.canvasSize == image.size else {
      throw ImageError(
        .badImageData,
        "\(maker) made a picture of \(image.size) with frames of \(frames.canvasSize); both must have the same size.")
    }
  }

  /// Throws when a picture that a transformer made of another is invalid or exceeds a limit.
  func check(_ image: Image, madeOf source: Image, by maker: String) throws(ImageError) {
    try limits.check(result: image.size, from: source.size, madeBy: maker)
    try check(image, madeBy: maker)
  }

  /// Decodes with the options that `options` derives from the header.
  func decode(
    _ bytes: ImageBytes, by coder: any ImageCoder, work: WorkContext, options: (ImageHeader?) -> DecodeOptions
  ) throws -> Image {
    let header = try header(of: bytes, by: coder, work: work)
    let options = options(header)
    return try checked(coder.decode(bytes, options: options, work: work), of: header, options)
  }

  /// Returns the picture of a decoder; throws when it differs from what was requested.
  func checked(
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

  /// Returns a preview; nil when its size differs from the final picture.
  func checked(preview image: Image, of header: ImageHeader?, _ options: DecodeOptions) -> Image? {
    guard (try? check(image, madeBy: "The decoder")) != nil else { return nil }
    if let header {
      let target = options.targetSize(for: header)
      guard hasExpectedSize(image.size, target: target, least: options.leastSize) else { return nil }
    }
    return options.firstFrameOnly ? image.withoutFrames : image
  }

  private func hasExpectedSize(_ size: PixelSize, target: PixelSize, least: PixelSize?) -> Bool {
    guard let least else { return size == target }
    // A drawing that was planned larger.
    guard least.width <= target.width, least.height <= target.height else { return size == least }
    // A coder may read another size from the same bytes the next time, so the least size may exceed the target.
    guard size.width >= least.width, size.width <= target.width, size.height >= least.height,
      size.height <= target.height
    else { return false }
    // Each side is rounded to whole pixels, so it may differ by less than one.
    let across = Double(size.width) * Double(target.height)
    let down = Double(size.height) * Double(target.width)
    return abs(across - down) <= Double(target.width) + Double(target.height)
  }

  private func check(frameCount: Int, loopCount: Int, claimedBy source: String) throws(ImageError) {
    guard frameCount > 0 else {
      throw ImageError(.badImageData, "\(source) claims \(frameCount) frames; a picture must have at least one.")
    }
    guard loopCount >= 0 else {
      throw ImageError(.badImageData, "\(source) claims \(loopCount) plays; it must be 0 (for ever) or more.")
    }
  }

  // MARK: Frames

  /// Makes a frame; throws when its size differs from the canvas.
  static func frame(at index: Int, of frames: any FrameSource, work: WorkContext? = nil) throws -> Bitmap {
    let frame = try work.map { try frames.frame(at: index, work: $0) } ?? frames.frame(at: index)
    let canvas = frames.canvasSize
    guard frame.size == canvas else {
      throw ImageError(.badImageData, "Frame \(index) is \(frame.size), but all frames must be \(canvas).")
    }
    return frame
  }

  // MARK: Plans

  /// The plan of a transformer for a picture of this size.
  ///
  /// A plan is ignored when its least size is empty, or larger than a picture that is no drawing.
  static func plan(
    of transformer: any PlannableTransformer, for size: PixelSize, isDrawing: Bool = false
  ) -> TransformerPlan? {
    guard let plan = isDrawing ? transformer.plan(forDrawing: size) : transformer.plan(for: size),
      let least = plan.leastSize, !least.isEmpty
    else { return nil }
    let isSmaller = least.width <= size.width && least.height <= size.height
    let isLarger = least.width >= size.width && least.height >= size.height
    return isSmaller || isDrawing && isLarger ? plan : nil
  }
}

extension ResolvedRequest {
  /// The checks of plug-in results against the limits of this request.
  var checks: PluginChecks { PluginChecks(limits: limits) }
}
