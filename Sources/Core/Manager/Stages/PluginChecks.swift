/// Holds what plug-ins bring against the limits and against what was asked of them, in this one place.
struct PluginChecks: Sendable {
  let limits: Limits

  // MARK: Headers

  /// The header of these bytes, within the limits; nil where only decoding can say what is wrong with them.
  func header(of bytes: ImageBytes, by coder: any ImageCoder, work: WorkContext) throws -> ImageHeader? {
    let header: ImageHeader
    do {
      header = try coder.probe(bytes, work: work)
    } catch let error as ImageError where error.code == .limitExceeded || error.isCancellation {
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
    try check(frameCount: header.frameCount, loopCount: header.loopCount, of: header.storedSize, claimedBy: source)
  }

  // MARK: Pictures

  /// Throws when a picture that some plug-in made is over a limit or is none.
  func check(_ image: Image, madeBy maker: String) throws(ImageError) {
    try limits.check(frame: image.size, claimedBy: maker)
    try limits.check(metadataBytes: image.metadata.memoryCost, claimedBy: maker)
    guard let frames = image.frames else { return }
    try limits.check(frame: frames.canvasSize, claimedBy: maker)
    try check(frameCount: frames.count, loopCount: frames.loopCount, of: frames.canvasSize, claimedBy: maker)
    guard frames.canvasSize == image.size else {
      throw ImageError(
        .badImageData,
        "\(maker) gave a picture of \(image.size) with frames of \(frames.canvasSize); both must be of one size.")
    }
  }

  /// Throws when a decoder made something else than it was asked for.
  func check(
    decoded image: Image, of header: ImageHeader?, _ options: DecodeOptions
  ) throws(ImageError) {
    try check(image, madeBy: "The decoder")
    guard let header, !image.traits.contains(.partial) else { return }
    let target = options.targetSize(for: header)
    guard isAsAsked(image.size, target: target, least: options.leastSize) else {
      throw ImageError(
        .badImageData, "The decoder made \(image.size) of a picture that had to become \(target) by its header.")
    }
  }

  /// Whether a preview shows the picture at the size at which it will come.
  func allows(preview image: Image, of header: ImageHeader?, _ options: DecodeOptions) -> Bool {
    guard (try? check(image, madeBy: "The decoder")) != nil else { return false }
    guard let header else { return true }
    return isAsAsked(image.size, target: options.targetSize(for: header), least: options.leastSize)
  }

  private func isAsAsked(_ size: PixelSize, target: PixelSize, least: PixelSize?) -> Bool {
    guard let least else { return size == target }
    guard (least.width...target.width).contains(size.width), (least.height...target.height).contains(size.height)
    else { return false }
    // Sides are whole pixels: each may be off by less than one.
    let across = Double(size.width) * Double(target.height)
    let down = Double(size.height) * Double(target.width)
    return abs(across - down) <= Double(target.width) + Double(target.height)
  }

  private func check(
    frameCount: Int, loopCount: Int, of size: PixelSize, claimedBy source: String
  ) throws(ImageError) {
    guard frameCount > 0 else {
      throw ImageError(.badImageData, "\(source) claims \(frameCount) frames; a picture has at least one.")
    }
    guard loopCount >= 0 else {
      throw ImageError(.badImageData, "\(source) claims \(loopCount) plays; 0 is for ever, and less there is not.")
    }
    try limits.check(frameCount: frameCount, of: size, claimedBy: source)
  }

  // MARK: Frames

  /// Makes a frame; one of another size than its source says of all is an error.
  static func frame(at index: Int, of frames: any FrameSource) throws -> Bitmap {
    let frame = try frames.frame(at: index)
    let canvas = frames.canvasSize
    guard frame.size == canvas else {
      throw ImageError(.badImageData, "Frame \(index) is \(frame.size), and all are to be \(canvas).")
    }
    return frame
  }

  // MARK: Plans

  /// The plan of a transformer for a picture of this size; one that asks for what no decoder can make is ignored.
  static func plan(of transformer: any PlannableTransformer, for size: PixelSize) -> TransformerPlan? {
    guard let plan = transformer.plan(for: size), let least = plan.leastSize else { return nil }
    guard !least.isEmpty, least.width <= size.width, least.height <= size.height else { return nil }
    return plan
  }
}

extension ResolvedRequest {
  /// The checks that hold what plug-ins bring for this request against its limits.
  var checks: PluginChecks { PluginChecks(limits: limits) }
}
