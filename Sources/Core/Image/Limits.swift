/// The most that a picture may demand before it is refused.
///
/// ```swift
/// var limits = Limits()
/// limits.framePixels = 20_000_000
/// limits.decodeTime = .seconds(5)
/// let image = try await manager.image(for: url, context: [.limits(limits)])
/// ```
public struct Limits: Hashable, Sendable {
  /// The most bytes of a body.
  public var downloadBytes = 100 << 20
  /// The most pixels on one side.
  public var side = 65_535
  /// The most pixels of one frame.
  public var framePixels = 100_000_000
  /// The most pixels of a progressive JPEG of four components.
  ///
  /// All coefficients of a progressive JPEG are kept in memory.
  ///
  /// Progressive JPEGs of fewer components may have more pixels, as long as they take the same memory, eight bytes for
  /// each of these pixels. That is a third more with three components. With colours of half the width and height, as is
  /// usual, it is 2.7 times as many.
  public var progressiveJPEGPixels = 40_000_000
  /// The most frames.
  public var frames = 10_000
  /// The most pixels over all frames, in the size in which they are decoded.
  ///
  /// Only frames that are decoded count. Reading a header, or decoding with ``DecodeOptions/firstFrameOnly``, does not
  /// count the other frames.
  public var totalPixels = 1_000_000_000
  /// The longest time for one piece of work: a decode, one transformer, one encode, one serializer.
  ///
  /// Each piece has this time for itself. The time counts only while a thread works: not while the work waits for a
  /// thread, and not while a decoder that works during the download waits for bytes. Work that calls
  /// ``WorkContext/checkCancellation()`` ends by itself. Other work that has not returned a second later is abandoned:
  /// the load fails with `limitExceeded`, and a new thread replaces the one that hangs. In a sandbox this limits the
  /// processor time of the process that decodes, without the time in which that process waits for a processor.
  public var decodeTime = Duration.seconds(30)
  /// The most bytes of metadata.
  public var metadataBytes = 16 << 20

  /// The most blocks in a file: chunks, segments, extensions, sub-blocks that are not full, elements and rules of an SVG.
  ///
  /// Real files have some thousands. A file with millions of empty blocks has no use but to keep the reader busy.
  public var blocks = 1_000_000

  /// The most pixels on one side of a picture that a transformer makes.
  ///
  /// This and ``resultPixels`` apply to transformers that change a picture's size. A picture that is larger already may
  /// still pass through transformers that keep its size or turn it by a quarter. The limits of a frame apply to results
  /// too.
  public var resultSide = 16_384
  /// The most pixels of a picture that a transformer makes; ``resultSide`` tells which transformers it applies to.
  public var resultPixels = 100_000_000
  /// The most bytes of an encoded variant.
  public var resultBytes = 50 << 20

  /// Creates the default limits, which are safe for untrusted pictures.
  public init() {}

  /// Creates limits that differ from the defaults in the given values.
  public init(
    downloadBytes: Int = Limits().downloadBytes, side: Int = Limits().side, framePixels: Int = Limits().framePixels,
    progressiveJPEGPixels: Int = Limits().progressiveJPEGPixels, frames: Int = Limits().frames,
    totalPixels: Int = Limits().totalPixels, decodeTime: Duration = Limits().decodeTime,
    metadataBytes: Int = Limits().metadataBytes, resultSide: Int = Limits().resultSide,
    resultPixels: Int = Limits().resultPixels, resultBytes: Int = Limits().resultBytes
  ) {
    self.downloadBytes = downloadBytes
    self.side = side
    self.framePixels = framePixels
    self.progressiveJPEGPixels = progressiveJPEGPixels
    self.frames = frames
    self.totalPixels = totalPixels
    self.decodeTime = decodeTime
    self.metadataBytes = metadataBytes
    self.resultSide = resultSide
    self.resultPixels = resultPixels
    self.resultBytes = resultBytes
  }

  /// Throws when a frame size is over a limit.
  ///
  /// `source` begins the error message: "PNG: IHDR claims 65536x65536, ...".
  ///
  /// ```swift
  /// try Limits(side: 4096).check(frame: PixelSize(width: 640, height: 480), claimedBy: "The header")
  /// ```
  public func check(frame size: PixelSize, claimedBy source: String) throws(ImageError) {
    guard !size.isEmpty else {
      throw ImageError(.badImageData, "\(source) claims \(size), which has no pixels.")
    }
    guard size.width <= side, size.height <= side else {
      throw exceeded("\(source) claims \(size)", "\(side) pixels a side", "Limits.side")
    }
    guard size.area <= framePixels else {
      throw exceeded("\(source) claims \(size)", "\(Self.megapixels(framePixels)) a frame", "Limits.framePixels")
    }
  }

  /// Throws when the size of a picture that a transformer makes is over a limit.
  ///
  /// `source` is the size of the picture before the transformer. A result of the same size, or turned by a quarter,
  /// need only keep the limits of a frame. `maker` begins the error message: "Pad({9,9,9,9},#ff000000) makes 20018x30,
  /// ...".
  public func check(
    result size: PixelSize, from source: PixelSize? = nil, madeBy maker: String
  ) throws(ImageError) {
    guard !size.isEmpty else {
      throw ImageError(.transformFailed, "\(maker) makes \(size), which has no pixels.")
    }
    if size != source && size.transposed != source {
      guard size.width <= resultSide, size.height <= resultSide else {
        throw exceeded("\(maker) makes \(size)", "\(resultSide) pixels a side of a result", "Limits.resultSide")
      }
      guard size.area <= resultPixels else {
        throw exceeded("\(maker) makes \(size)", "\(Self.megapixels(resultPixels)) a result", "Limits.resultPixels")
      }
    }
    try check(frame: size, claimedBy: maker)
  }

  /// Throws when an encoder made more bytes than the limit.
  package func check(resultBytes count: Int, madeBy maker: String) throws(ImageError) {
    guard count <= resultBytes else {
      throw exceeded("\(maker) makes \(count) bytes", "\(resultBytes) bytes a result", "Limits.resultBytes")
    }
  }

  /// Throws when there are more frames than the limit; their size does not matter.
  package func check(frameCount: Int, claimedBy source: String) throws(ImageError) {
    guard frameCount <= frames else {
      throw exceeded("\(source) claims \(frameCount) frames", "\(frames) frames", "Limits.frames")
    }
  }

  /// Throws when the number of frames of this size is over a limit.
  ///
  /// A coder calls this just before it returns frames, with the size in which it decodes them.
  public func check(frameCount: Int, of size: PixelSize, claimedBy source: String) throws(ImageError) {
    try check(frameCount: frameCount, claimedBy: source)
    let (total, overflows) = size.area.multipliedReportingOverflow(by: frameCount)
    guard !overflows, total <= totalPixels else {
      throw exceeded(
        "\(source) claims \(frameCount) frames of \(size)", "\(Self.megapixels(totalPixels)) in all",
        "Limits.totalPixels")
    }
  }

  /// Throws when a block of metadata is over the limit.
  public func check(metadataBytes count: Int, claimedBy source: String) throws(ImageError) {
    guard count <= metadataBytes else {
      throw exceeded("\(source) claims \(count) bytes of metadata", "\(metadataBytes) bytes", "Limits.metadataBytes")
    }
  }

  /// Throws when a file has more blocks than the limit.
  public func check(blockCount: Int, claimedBy source: String) throws(ImageError) {
    guard blockCount > blocks else { return }
    throw ImageError(
      .limitExceeded,
      "\(source) has more than \(blocks) blocks, which is the limit. Raise Limits.blocks to allow it.")
  }

  private func exceeded(_ claim: String, _ limit: String, _ name: String) -> ImageError {
    ImageError(.limitExceeded, "\(claim), over the limit of \(limit). Raise \(name) to allow it.")
  }

  private static func megapixels(_ pixels: Int) -> String {
    pixels % 1_000_000 == 0 ? "\(pixels / 1_000_000) megapixels" : "\(pixels) pixels"
  }
}
