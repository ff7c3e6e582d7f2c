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
  /// The most pixels of a progressive JPEG of four components, whose coefficients are all kept in memory.
  ///
  /// Other progressive pictures may have as many pixels as take the same memory, eight bytes for each of these: a third
  /// more of three components, and 2.7 times as many of the usual ones, whose colours have half the width and height.
  public var progressiveJPEGPixels = 40_000_000
  /// The most frames.
  public var frames = 10_000
  /// The most pixels over all frames, in the size in which they are decoded.
  ///
  /// Frames that are not asked for do not count: those of a header, and those of a picture that is decoded with
  /// ``DecodeOptions/firstFrameOnly``.
  public var totalPixels = 1_000_000_000
  /// The longest time for one piece of work: a decode, one transformer, one encode, one serializer.
  ///
  /// Each piece has this time for itself. The time counts only while a thread works: not while the work waits for a
  /// thread, and not while a decoder that works during the download waits for bytes. Work that calls
  /// ``WorkContext/checkCancellation()`` ends by itself. Work that does not, and has not returned a second later, is
  /// abandoned: the load fails with `limitExceeded`, and a new thread replaces the one that hangs. In a sandbox it is the
  /// time of the process that decodes: what it uses of processors, and not the time in which it waits for one.
  public var decodeTime = Duration.seconds(30)
  /// The most bytes of metadata.
  public var metadataBytes = 16 << 20

  /// The most blocks in a file: chunks, segments, extensions, sub-blocks that are not full, elements and rules of an SVG.
  ///
  /// Real files have some thousands. A file with millions of empty blocks only keeps the reader busy.
  public var blocks = 1_000_000

  /// The most pixels on one side of a picture that a transformer makes.
  ///
  /// This and ``resultPixels`` bind transformers that change a picture's size. A picture that is larger already may
  /// still pass through transformers that keep its size or turn it by a quarter. The limits of a frame bind results too.
  public var resultSide = 16_384
  /// The most pixels of a picture that a transformer makes; ``resultSide`` tells which transformers are bound.
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

  /// Throws when a transformer makes a picture of a size that is over a limit.
  ///
  /// `source` is the size of the picture that it works on. A result of the same size, or turned by a quarter, only has
  /// to keep the limits of a frame. `maker` begins the error message: "Pad({9,9,9,9},#ff000000) makes 20018x30, ...".
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

  /// Throws when there are more frames than the limit, whatever their size.
  package func check(frameCount: Int, claimedBy source: String) throws(ImageError) {
    guard frameCount <= frames else {
      throw exceeded("\(source) claims \(frameCount) frames", "\(frames) frames", "Limits.frames")
    }
  }

  /// Throws when the number of frames of this size is over a limit.
  ///
  /// A coder calls it with the size in which frames are decoded, once it is about to give them.
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
