/// What the first bytes of a file say about its picture.
public struct ImageHeader: Hashable, Sendable {
  /// The format.
  public var format: ImageFormat
  /// The size as stored, not set upright.
  public var storedSize: PixelSize
  /// The orientation that the file states.
  public var orientation: ImageOrientation
  /// The number of frames.
  public var frameCount: Int
  /// How often a moving picture is played, 0 is forever.
  public var loopCount: Int
  /// Whether some pixel may be transparent.
  public var hasAlpha: Bool
  /// The bits of one component as stored.
  public var bitDepth: Int

  /// Creates a header.
  public init(
    format: ImageFormat, storedSize: PixelSize, orientation: ImageOrientation = .up, frameCount: Int = 1,
    loopCount: Int = 0, hasAlpha: Bool = false, bitDepth: Int = 8
  ) {
    self.format = format
    self.storedSize = storedSize
    self.orientation = orientation
    self.frameCount = frameCount
    self.loopCount = loopCount
    self.hasAlpha = hasAlpha
    self.bitDepth = bitDepth
  }

  /// The size when set upright.
  public var uprightSize: PixelSize { orientation.swapsSides ? storedSize.transposed : storedSize }
}
