/// The properties of a picture that its header states.
///
/// ```swift
/// let header = try CoderRegistry.standard.probe(bytes, work: WorkContext())
/// print(header.format, header.uprightSize, header.frameCount > 1 ? "moves" : "stands still")
/// ```
public struct ImageHeader: Hashable, Sendable {
  /// The format.
  public var format: ImageFormat
  /// The size as stored, before the orientation is applied.
  public var storedSize: PixelSize
  /// The orientation that the file states.
  public var orientation: ImageMetadata.Orientation
  /// The number of frames.
  public var frameCount: Int
  /// The number of plays of a moving picture; 0 means forever.
  public var loopCount: Int
  /// True when some pixels may be transparent.
  public var hasAlpha: Bool
  /// The bits of one component as stored.
  public var bitDepth: Int
  /// The number of plays or repeats as stored, in the format's own counting; nil when the file states none.
  public var storedLoopCount: Int?
  /// The stored display time of each frame of a moving picture, however short.
  public var storedDelays: [Duration] = []
  /// The colours, if the file states them by code points.
  public var color: ColorDescription?
  /// The gain map of an Ultra HDR picture, which makes it brighter on displays of high range.
  public var gainMap: GainMap.Header?
  /// Sentences about parts of the file that are ignored because they are wrong.
  public var notes: [String] = []
  /// The size of the embedded ICC profile in bytes.
  public var iccProfileBytes = 0
  /// The size of the EXIF block in bytes.
  public var exifBytes = 0
  /// The bytes that decoding keeps besides the pixels; nil if the coder does not know.
  package var decoderBytes: Int?
  /// The time for decoding one frame that its number of pixels does not explain; nil if the coder does not know.
  package var effort: Duration?

  /// Describes a file before its pixels are decoded.
  ///
  /// ```swift
  /// let header = ImageHeader(format: .png, storedSize: PixelSize(width: 640, height: 480), hasAlpha: true)
  /// ```
  public init(
    format: ImageFormat, storedSize: PixelSize, orientation: ImageMetadata.Orientation = .up, frameCount: Int = 1,
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

  /// The size after the orientation is applied.
  public var uprightSize: PixelSize { orientation.swapsSides ? storedSize.transposed : storedSize }
}
