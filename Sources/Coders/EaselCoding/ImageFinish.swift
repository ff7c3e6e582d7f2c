import EaselColor
import EaselCore
import EaselPixels
import FoundationEssentials

/// The steps after reading pixels: reduce them if needed, convert them to sRGB, and set the picture upright.
///
/// Coders rotate pictures nowhere else. Colours are converted by the ICC profile, or by the code points if there is no
/// profile; pixels without either are taken for sRGB. In pictures of high range the code points go before a profile,
/// whose tables were not made for so much light.
public struct ImageFinish: Sendable {
  /// The profile that still applies to the finished pixels.
  public let keptProfile: Data?
  /// The code points that still apply to the finished pixels.
  public let keptColor: ColorDescription?
  /// The orientation that still applies to the finished pixels.
  public let keptOrientation: ImageMetadata.Orientation
  /// The target size before the picture is set upright.
  public let storedTarget: PixelSize

  /// The size of the finished picture.
  public var finalSize: PixelSize { orientation.swapsSides ? storedTarget.transposed : storedTarget }

  /// True when the coder should read components of 16 bits, because the file has more than 8 and is of high range.
  public let readsWide: Bool

  /// The size of the picture in its file.
  private let storedSize: PixelSize
  private let profile: Data?
  /// The code points to convert from, after a profile that cannot be used.
  private let color: ColorDescription?
  private let orientation: ImageMetadata.Orientation
  private let isGray: Bool
  private let keeps16Bits: Bool

  /// Creates the steps that the options ask for.
  ///
  /// `profile` belongs to the pixels as they are read. With `isGray` it is a grey profile, and the pixels are grey
  /// values stored as red, green and blue. `decodedSize` is the size before turning, as the coder chose it; nil if the
  /// options left it no choice.
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
    if result.size != storedTarget { result = try result.resized(to: storedTarget, work: work) }
    result = try converted(result, work: work)
    // Components of 16 bits that were read for the conversion alone have done their part.
    if result.format.layout == .rgba16, !keeps16Bits {
      try result.convert(to: PixelFormat(.rgba8, alpha: result.format.alpha), work: work)
    }
    return try result.oriented(orientation, work: work)
  }

  /// The picture of these pixels after all steps.
  ///
  /// EXIF and XMP say that a picture is upright if it was set upright. They agree with a turn that the file states
  /// outside of them, whatever they said.
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

  /// Sets a picture upright that belongs to the finished one, such as its gain map, and changes nothing else.
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
