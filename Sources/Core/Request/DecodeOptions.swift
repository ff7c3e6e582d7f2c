/// What a coder is to make of the bytes.
public struct DecodeOptions: Hashable, Sendable {
  /// The box that the picture is to fit in, nil for its full size.
  public var thumbnailSize: PixelSize?
  /// Whether a thumbnail keeps the ratio of its sides.
  public var preservesAspectRatio = true
  /// The most bytes, at four a pixel, that the bitmap may take; nil for no such limit.
  public var scaleDownLimitBytes: Int?
  /// Whether the pixels are set upright; else they stay as stored and the orientation stays in the metadata.
  public var appliesOrientation = true
  /// Whether the colours are converted to sRGB; else they stay as stored and follow the embedded profile.
  public var convertsColor = true
  /// Whether components of 16 bits are kept.
  public var keeps16Bits = false
  /// Whether a damaged or truncated file may give what is there, marked partial.
  public var allowsPartial = false
  /// Whether the frames of a moving picture are left out, so that its first frame is all that is made and cached.
  public var firstFrameOnly = false
  /// The format to assume whatever the bytes look like.
  public var typeHint: ImageFormat?
  /// The size that suffices for the transformers that follow, nil where every pixel is needed.
  ///
  /// The manager states it after it has read the header. A coder that saves work by it may make a picture of the same
  /// ratio and of any size from this one up to the full one.
  public package(set) var leastSize: PixelSize?

  /// Creates the options of a plain load.
  public init() {}

  /// Creates options that differ from those of a plain load in what is named.
  public init(
    thumbnailSize: PixelSize? = nil, preservesAspectRatio: Bool = true, scaleDownLimitBytes: Int? = nil,
    appliesOrientation: Bool = true, convertsColor: Bool = true, keeps16Bits: Bool = false,
    allowsPartial: Bool = false, firstFrameOnly: Bool = false, typeHint: ImageFormat? = nil
  ) {
    self.thumbnailSize = thumbnailSize
    self.preservesAspectRatio = preservesAspectRatio
    self.scaleDownLimitBytes = scaleDownLimitBytes
    self.appliesOrientation = appliesOrientation
    self.convertsColor = convertsColor
    self.keeps16Bits = keeps16Bits
    self.allowsPartial = allowsPartial
    self.firstFrameOnly = firstFrameOnly
    self.typeHint = typeHint
  }

  /// The size of the bitmap to make of a picture with this header.
  ///
  /// Boxes are meant for the picture when set upright, also where the bitmap stays as stored. Scaling down by bytes and
  /// the thumbnail both bind: a thumbnail of too many bytes is scaled down.
  public func targetSize(for header: ImageHeader) -> PixelSize {
    let upright = uprightTargetSize(for: header)
    return header.orientation.swapsSides && !appliesOrientation ? upright.transposed : upright
  }

  /// The size that a picture that needs no decoding is made to fit.
  func targetSize(forPictureAtHand image: Image) -> PixelSize {
    var options = self
    // Its pixels stay as they lie, whatever its orientation says.
    options.appliesOrientation = false
    let orientation = image.metadata.orientation
    return options.targetSize(
      for: ImageHeader(format: image.format ?? .png, storedSize: image.size, orientation: orientation))
  }

  private func uprightTargetSize(for header: ImageHeader) -> PixelSize {
    let full = header.uprightSize
    let wanted = thumbnailSize.map { full.thumbnail(in: $0, preservingAspectRatio: preservesAspectRatio) } ?? full
    return scaleDownLimitBytes.map { wanted.scaledDown(toBytes: $0) } ?? wanted
  }
}
