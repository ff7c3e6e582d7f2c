/// The options for decoding a picture.
///
/// ```swift
/// let options = DecodeOptions(thumbnailSize: PixelSize(width: 320, height: 320))
/// let image = try CoderRegistry.standard.decode(bytes, options: options, work: WorkContext())
/// ```
public struct DecodeOptions: Hashable, Sendable {
  /// The box that the picture is scaled down to fit; nil for its full size.
  public var thumbnailSize: PixelSize?
  /// The care with which a thumbnail is made.
  public var fidelity = Fidelity.faithful
  /// True when a thumbnail keeps the ratio of its sides.
  public var preservesAspectRatio = true
  /// The maximum number of bytes of the bitmap, at four bytes per pixel; nil for no such limit.
  public var scaleDownLimitBytes: Int?
  /// True when the pixels are rotated to upright.
  ///
  /// Otherwise they stay as stored, and the orientation stays in the metadata.
  public var appliesOrientation = true
  /// True when the colours are converted to sRGB.
  ///
  /// Otherwise they stay as stored, in the embedded profile or by their code points.
  public var convertsColor = true
  /// True when components of 16 bits are kept.
  public var keeps16Bits = false
  /// True when pictures in PQ and HLG keep their range: 16 bits with a ``ColorDescription``.
  ///
  /// The value of ``keeps16Bits`` does not matter then.
  ///
  /// Otherwise they are tone-mapped to sRGB. The option has no effect on pictures of the usual range.
  public var keepsHighRange = false
  /// The treatment of a picture whose file is damaged or cut off.
  public var damaged = DamagePolicy.whole
  /// True when only the first frame of a moving picture is decoded and cached.
  public var firstFrameOnly = false
  /// The format to assume, regardless of the signature of the bytes.
  public var typeHint: ImageFormat?
  /// The smallest size that is enough for the following transformers; nil when they need every pixel.
  ///
  /// The manager sets it after it has read the header. It is a size of the upright picture, unless
  /// ``appliesOrientation`` is false. To save work, a coder may decode to any size of the same ratio from this one up
  /// to the full size. For a drawing it may be larger than the full size, and is then the exact size to draw (see
  /// ``DrawingCoder/drawsLarger(_:)``).
  public package(set) var leastSize: PixelSize?
  /// The part of the upright picture that is wanted in place of the whole; nil for all of it.
  ///
  /// Only coders that say so on the cards of their formats are given one. The part stands for the picture: the sizes of
  /// these options are sizes of it, and limits bind it alone.
  package var region: PixelRect?

  /// Begins with the options of a plain load.
  public init() {}

  /// Creates the default options with the given changes.
  public init(
    thumbnailSize: PixelSize? = nil, preservesAspectRatio: Bool = true, scaleDownLimitBytes: Int? = nil,
    appliesOrientation: Bool = true, convertsColor: Bool = true, keeps16Bits: Bool = false,
    keepsHighRange: Bool = false, damaged: DamagePolicy = .whole, firstFrameOnly: Bool = false,
    typeHint: ImageFormat? = nil, fidelity: Fidelity = .faithful
  ) {
    self.thumbnailSize = thumbnailSize
    self.preservesAspectRatio = preservesAspectRatio
    self.scaleDownLimitBytes = scaleDownLimitBytes
    self.appliesOrientation = appliesOrientation
    self.convertsColor = convertsColor
    self.keeps16Bits = keeps16Bits
    self.keepsHighRange = keepsHighRange
    self.damaged = damaged
    self.firstFrameOnly = firstFrameOnly
    (self.typeHint, self.fidelity) = (typeHint, fidelity)
  }

  /// The size of the bitmap to make from a picture with this header.
  ///
  /// The box applies to the upright picture, even if the bitmap is not rotated. Both limits apply: a thumbnail with too
  /// many bytes is scaled down further.
  ///
  /// ```swift
  /// let header = ImageHeader(format: .png, storedSize: PixelSize(width: 4000, height: 3000))
  /// let options = DecodeOptions(thumbnailSize: PixelSize(width: 320, height: 320))
  /// print(options.targetSize(for: header))  // 320x240
  /// ```
  public func targetSize(for header: ImageHeader) -> PixelSize {
    let upright = uprightTargetSize(for: header)
    return header.orientation.swapsSides && !appliesOrientation ? upright.transposed : upright
  }

  /// The target size for a picture that is decoded already.
  package func targetSize(forPictureAtHand image: Image) -> PixelSize {
    var options = self
    // The pixels are not rotated, so the orientation must not swap the sides.
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
