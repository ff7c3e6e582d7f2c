import EaselColor
import EaselCore
import EaselPixels
import FoundationEssentials

/// The steps after reading pixels: reduce the picture if needed, convert its colours to sRGB, and set it upright.
///
/// Coders rotate pictures nowhere else. The ICC profile converts the colours or, without a profile, the code points do.
/// Pixels without either are assumed to be sRGB. In pictures of high range the code points take precedence over the
/// profile, because the tables of a profile were not made for so much light.
public struct ImageFinish: Sendable {
  /// The profile that still applies to the finished pixels.
  public let keptProfile: Data?
  /// The code points that still apply to the finished pixels.
  public let keptColor: ColorDescription?
  /// The orientation that still applies to the finished pixels.
  public let keptOrientation: ImageMetadata.Orientation
  /// The target size before the picture is set upright.
  public let storedTarget: PixelSize
  /// The least size from which the picture may be reduced to its target, before it is set upright.
  ///
  /// A coder that can make a smaller picture while it decodes makes one of at least this size, and reduces the rest of
  /// the way as ``averagesLight`` says. It is the target itself if speed counts more than fidelity.
  public let sufficientSize: PixelSize
  /// True if light is averaged when the picture is reduced, and not the numbers of its colours.
  public let averagesLight: Bool

  /// The size of the finished picture.
  public var finalSize: PixelSize { orientation.swapsSides ? storedTarget.transposed : storedTarget }

  /// True if the coder should read components of 16 bits.
  ///
  /// This is so if the picture is of high range and its file has more than 8 bits.
  public let readsWide: Bool

  /// The size of the picture in its file.
  private let storedSize: PixelSize
  private let profile: Data?
  /// The code points for a conversion, used if the profile is not usable.
  private let color: ColorDescription?
  private let orientation: ImageMetadata.Orientation
  private let isGray: Bool
  private let keeps16Bits: Bool

  /// Creates the steps that the options ask for.
  ///
  /// `profile` belongs to the pixels as the coder reads them. With `isGray` it is a grey profile, and the pixels are
  /// grey values stored as red, green and blue. `decodedSize` is the size that the coder chose, before the turn; nil if
  /// the options left the coder no choice.
  public init(
    _ header: ImageHeader, profile: Data?, color: ColorDescription? = nil, isGray: Bool,
    decodedSize: PixelSize? = nil, options: DecodeOptions
  ) {
    let target = options.targetSize(for: header)
    storedSize = header.storedSize
    orientation = options.appliesOrientation ? header.orientation : .up
    keptOrientation = options.appliesOrientation ? .up : header.orientation
    storedTarget = decodedSize ?? (orientation.swapsSides ? target.transposed : target)
    self.isGray = isGray
    let isHighRange = color?.coding.isHighRange ?? false
    let isFaithful = options.thumbnailSize != nil && options.fidelity != .fast
    sufficientSize =
      isFaithful ? options.fidelity.sufficientSize(of: header.storedSize, for: storedTarget) : storedTarget
    // Numbers on the curve of sRGB become light. Those of high range are on another one, and some are light already.
    averagesLight = isFaithful && !isHighRange && color?.coding.transfer != 8
    let keepsRange = isHighRange && options.keepsHighRange
    readsWide = isHighRange && options.convertsColor && header.bitDepth > 8
    keeps16Bits = options.keeps16Bits || keepsRange && options.convertsColor
    if !options.convertsColor {
      (keptProfile, keptColor) = (profile, color)
      (self.profile, self.color) = (nil, nil)
    } else if keepsRange {
      (keptProfile, keptColor) = (nil, color)
      (self.profile, self.color) = (nil, nil)
    } else {
      (keptProfile, keptColor) = (nil, nil)
      self.profile = isHighRange ? nil : profile
      self.color = color.flatMap { $0.coding.isShownAsSRGB ? nil : $0 }
    }
  }

  /// Applies the steps to a bitmap.
  public func callAsFunction(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    var result = bitmap
    if result.size != storedTarget {
      result = try result.resized(to: storedTarget, linearLight: averagesLight, work: work)
    }
    result = try converted(result, work: work)
    // Only the conversion needed components of 16 bits.
    if result.format.layout == .rgba16, !keeps16Bits {
      try result.convert(to: PixelFormat(.rgba8, alpha: result.format.alpha), work: work)
    }
    return try result.oriented(orientation, work: work)
  }

  /// The finished image of these pixels.
  ///
  /// If the picture was set upright, EXIF and XMP say so. If the file states a turn outside EXIF and XMP, both are
  /// changed to agree with that turn.
  package func image(
    _ bitmap: Bitmap, format: ImageFormat, metadata stored: StoredMetadata = StoredMetadata(),
    statesTurnOutside: Bool = false, isPartial: Bool, work: WorkContext
  ) throws(ImageError) -> Image {
    let changesTurn = statesTurnOutside || orientation != .up
    var metadata = ImageMetadata(
      storedSize: storedSize, orientation: keptOrientation, iccProfile: keptProfile,
      exif: (changesTurn ? stored.exif?.stating(keptOrientation) : stored.exif)?.bytes,
      xmp: (changesTurn ? stored.xmp?.stating(keptOrientation) : stored.xmp)?.bytes, density: stored.density)
    metadata.color = keptColor
    var traits: Image.Traits = isPartial ? .partial : []
    if storedTarget != storedSize { traits.insert(.thumbnail) }
    return Image(try self(bitmap, work: work), format: format, metadata: metadata, traits: traits)
  }

  /// Sets a bitmap upright that belongs to the finished picture, such as its gain map, and changes nothing else.
  public func turned(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try bitmap.oriented(orientation, work: work)
  }

  /// Converts the colours; an unusable profile without code points leaves them unchanged.
  private func converted(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    guard let profile else { return try convertedByCode(bitmap, work: work) }
    do throws(ImageError) {
      return isGray
        ? try bitmap.convertedGray(from: .icc(profile), work: work)
        : try bitmap.converted(from: .icc(profile), work: work)
    } catch {
      guard error.code == .badImageData else { throw error }
      return try convertedByCode(bitmap, work: work)
    }
  }

  private func convertedByCode(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    if let color { return try bitmap.converted(from: color, keeps16Bits: keeps16Bits, work: work) }
    // Pictures of high range have 16 bits even if their file has fewer, so that no later step makes bands.
    guard let keptColor, keptColor.coding.isHighRange, keeps16Bits, bitmap.format.layout != .rgba16 else {
      return bitmap
    }
    return try bitmap.converted(to: PixelFormat(.rgba16, alpha: bitmap.format.alpha), work: work)
  }
}
