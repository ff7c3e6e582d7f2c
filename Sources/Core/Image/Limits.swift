/// How much a picture may ask for before it is refused.
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
  /// The longest that one piece of work may take: a decode, one transformer, one encode, one serializer.
  ///
  /// Each has this time for itself, counted while a thread is at it: not while it waits for a thread, and, where a
  /// picture is decoded while it arrives, not while it waits for bytes. Work that asks ``WorkContext/checkCancellation()`` ends
  /// by itself; what does not ask, and is not back a second later, is left behind: the load fails with `limitExceeded`
  /// and another thread takes the place of the one that hangs.
  public var decodeTime = Duration.seconds(30)
  /// The most bytes of metadata.
  public var metadataBytes = 16 << 20

  /// The most blocks that a file may consist of: chunks, segments, extensions, and sub-blocks that are not full.
  ///
  /// Real files have some thousands. Files of millions of empty ones only keep a reader busy.
  public var blocks = 1_000_000

  /// Creates the limits that are safe for pictures of strangers.
  public init() {}

  /// Creates limits that differ from the safe ones in what is named.
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

  /// Throws when a frame of this size, claimed by `source`, is over a limit.
  ///
  /// `source` opens the sentence of the error: "PNG: IHDR claims 65536x65536, ...".
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

  /// Throws when this many frames of this size are over a limit.
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

  /// Throws when a file consists of more blocks than the limit.
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
