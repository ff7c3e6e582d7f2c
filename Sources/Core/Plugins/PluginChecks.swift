/// Checks the pictures, frames and plans of plug-ins against the limits and the request.
package struct PluginChecks: Sendable {
  package let limits: Limits

  package init(limits: Limits) { self.limits = limits }

  // MARK: Pictures

  /// Throws when a picture from a plug-in is invalid or exceeds a limit.
  package func check(_ image: Image, madeBy maker: String) throws(ImageError) {
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

  /// Throws when a picture that a transformer made from `source` is invalid or exceeds a limit.
  package func check(_ image: Image, madeOf source: Image, by maker: String) throws(ImageError) {
    try limits.check(result: image.size, from: source.size, madeBy: maker)
    try check(image, madeBy: maker)
  }

  /// Throws when a picture has no frames, or a negative number of plays.
  package func check(frameCount: Int, loopCount: Int, claimedBy source: String) throws(ImageError) {
    guard frameCount > 0 else {
      throw ImageError(.badImageData, "\(source) claims \(frameCount) frames; a picture must have at least one.")
    }
    guard loopCount >= 0 else {
      throw ImageError(.badImageData, "\(source) claims \(loopCount) plays; it must be 0 (for ever) or more.")
    }
  }

  // MARK: Frames

  /// Makes a frame; throws when the frame does not have the size of the canvas.
  package static func frame(at index: Int, of frames: any FrameSource, work: WorkContext? = nil) throws -> Bitmap {
    let frame = try work.map { try frames.frame(at: index, work: $0) } ?? frames.frame(at: index)
    let canvas = frames.canvasSize
    guard frame.size == canvas else {
      throw ImageError(.badImageData, "Frame \(index) is \(frame.size), but all frames must be \(canvas).")
    }
    return frame
  }

  // MARK: Plans

  /// Returns the plan of a transformer for a picture of this size.
  ///
  /// A plan is ignored when its least size is empty. It is also ignored when its least size is larger than the picture,
  /// unless the picture is a drawing.
  package static func plan(
    of transformer: any PlannableTransformer, for size: PixelSize, isDrawing: Bool = false
  ) -> TransformerPipeline.Plan? {
    guard let plan = isDrawing ? transformer.plan(forDrawing: size) : transformer.plan(for: size),
      let least = plan.leastSize, !least.isEmpty
    else { return nil }
    let isSmaller = least.width <= size.width && least.height <= size.height
    let isLarger = least.width >= size.width && least.height >= size.height
    return isSmaller || isDrawing && isLarger ? plan : nil
  }
}
