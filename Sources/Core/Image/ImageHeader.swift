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
  /// The number of plays or repeats that the file states, in the format's own counting; nil when it states none.
  public var storedLoopCount: Int?
  /// How long each frame of a moving picture is shown as the file states it, however short.
  public var storedDelays: [Duration] = []
  /// The bytes of the embedded ICC profile.
  public var iccProfileBytes = 0
  /// The bytes of the EXIF block.
  public var exifBytes = 0

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
