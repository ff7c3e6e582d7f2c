/// The most that a picture may demand before it is refused.
public struct Limits: Hashable, Sendable {
  /// The most bytes of a body.
  public var downloadBytes = 100 << 20
  /// The most pixels on one side.
  public var side = 65_535
  /// The most pixels of one frame.
  public var framePixels = 100_000_000
  /// The most pixels of a progressive JPEG, whose coefficients are all kept in memory.
  public var progressiveJPEGPixels = 40_000_000
  /// The most frames.
  public var frames = 10_000
  /// The most pixels over all frames.
  public var totalPixels = 1_000_000_000
  /// The longest time for one piece of work: a decode, one transformer, one encode, one serializer.
  ///
  /// Each piece has this time for itself. The time counts only while a thread works: not while the work waits for a
  /// thread, and not while a decoder that works during the download waits for bytes. Work that calls
  /// ``WorkContext/checkCancellation()`` ends by itself. Work that does not, and has not returned a second later, is
  /// abandoned: the load fails with `limitExceeded`, and a new thread replaces the one that hangs.
  public var decodeTime = Duration.seconds(30)
  /// The most bytes of metadata.
  public var metadataBytes = 16 << 20

  /// The most blocks in a file: chunks, segments, extensions, and sub-blocks that are not full.
  ///
  /// Real files have some thousands. A file with millions of empty blocks only keeps the reader busy.
  public var blocks = 1_000_000

  /// Creates the default limits, which are safe for untrusted pictures.
  public init() {}

  /// Creates limits that differ from the defaults in the given values.
  public init(
    downloadBytes: Int = Limits().downloadBytes, side: Int = Limits().side, framePixels: Int = Limits().framePixels,
    progressiveJPEGPixels: Int = Limits().progressiveJPEGPixels, frames: Int = Limits().frames,
    totalPixels: Int = Limits().totalPixels, decodeTime: Duration = Limits().decodeTime,
    metadataBytes: Int = Limits().metadataBytes
  ) {
    self.downloadBytes = downloadBytes
    self.side = side
    self.framePixels = framePixels
    self.progressiveJPEGPixels = progressiveJPEGPixels
    self.frames = frames
    self.totalPixels = totalPixels
    self.decodeTime = decodeTime
    self.metadataBytes = metadataBytes
  }

  /// Throws when a frame size is over a limit.
  ///
  /// `source` begins the error message: "PNG: IHDR claims 65536x65536, ...".
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

  /// Throws when the number of frames of this size is over a limit.
  public func check(frameCount: Int, of size: PixelSize, claimedBy source: String) throws(ImageError) {
    guard frameCount <= frames else {
      throw exceeded("\(source) claims \(frameCount) frames", "\(frames) frames", "Limits.frames")
    }
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
