import EaselCore
import EaselFormats

/// What the files of a format keep, and how its coder names it in errors.
///
/// ``FormatContract`` checks that all of it is true. What is not described is not checked, so a description grows with
/// its coder.
///
/// ```swift
/// var flags = FormatDescription("Flag", ImageFormat(mimeType: "image/x-flag"))
/// flags.lossless = [EncodeOptions()]
/// flags.keeps = [.alpha, .orientation]
/// ```
public struct FormatDescription: Sendable {
  /// What files keep of a picture besides its pixels.
  public struct Kept: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: Int

    /// Creates a set of its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Transparent pixels.
    public static let alpha = Kept(rawValue: 1)
    /// The colours of pixels that cannot be seen, in files without loss.
    public static let hiddenColors = Kept(rawValue: 2)
    /// The orientation of pixels that do not stand upright.
    public static let orientation = Kept(rawValue: 4)
    /// The orientation, outside of EXIF, whose own orientation has no effect then.
    public static let orientationOutsideEXIF = Kept(rawValue: 8)
    /// EXIF and its orientation, on request.
    public static let exif = Kept(rawValue: 16)
    /// XMP, on request.
    public static let xmp = Kept(rawValue: 32)
    /// The density, on request.
    public static let density = Kept(rawValue: 64)
    /// A colour profile of any bytes.
    public static let anyProfile = Kept(rawValue: 128)
    /// A colour profile beside pixels without loss, which are converted when they are read.
    public static let profile = Kept(rawValue: 256)
    /// A profile for grey beside grey pixels; colours with such a profile are converted when they are written.
    public static let grayProfile = Kept(rawValue: 512)
    /// No profile for grey; pixels with one are converted when they are written.
    public static let noGrayProfile = Kept(rawValue: 1024)
    /// No profile at all; pixels with one are converted when they are written.
    public static let noProfile = Kept(rawValue: 2048)
  }

  /// How files of a format move.
  public struct Motion: Sendable {
    /// Frames that come back exactly; nil for noise, which only a format without loss keeps.
    public var bitmaps: [Bitmap]?
    /// The most plays that a file can state, and the longest delay; nil if a file can state any.
    public var most: (plays: Int, delay: Duration)?
    /// True if delays are stored in whole milliseconds whose sum is kept.
    public var countsMilliseconds = false
    /// True if the frames are pages, without delays and plays, each in a format of pixels of its own.
    public var isPages = false
    /// False if files do not state how many frames they have, so that one cut between two frames may only lack its end.
    public var statesCount = true
    /// The least similarity of small frames with alpha to those of all pixels, in decibels; nil if they are the same.
    public var smallDecibels: Double?
    /// True if a decoder plays the frames that have arrived.
    public var playsWhileArriving = false

    /// Creates the description of a format whose files may move.
    public init(
      bitmaps: [Bitmap]? = nil, most: (plays: Int, delay: Duration)? = nil, countsMilliseconds: Bool = false,
      isPages: Bool = false, statesCount: Bool = true, smallDecibels: Double? = nil,
      playsWhileArriving: Bool = false
    ) {
      (self.bitmaps, self.most, self.countsMilliseconds) = (bitmaps, most, countsMilliseconds)
      (self.isPages, self.statesCount, self.playsWhileArriving) = (isPages, statesCount, playsWhileArriving)
      self.smallDecibels = smallDecibels
    }
  }

  /// A file whose beginning states its size.
  public struct Beginning: Sendable {
    /// The file.
    public let bytes: [UInt8]
    /// The stored size.
    public let size: PixelSize
    /// The number of bytes that state the size.
    public let count: Int
    /// The least number of bytes that may do, if a file states its size in several ways.
    public let least: Int
    /// False if the header is whole with these bytes as well.
    public let isShorterThanHeader: Bool

    /// Creates the description of a file.
    public init(
      _ bytes: [UInt8], size: PixelSize, count: Int, least: Int? = nil, isShorterThanHeader: Bool = true
    ) {
      (self.bytes, self.size, self.count, self.least) = (bytes, size, count, least ?? count)
      self.isShorterThanHeader = isShorterThanHeader
    }
  }

  /// A file with as many blocks of metadata as are wanted, and the bytes of each.
  public struct Blocks: Sendable {
    /// The number of bytes that count for each block.
    public let bytesOfEach: Int
    let file: @Sendable (Int) throws -> [UInt8]

    /// Creates the description.
    public init(bytesOfEach: Int, _ file: @escaping @Sendable (Int) throws -> [UInt8]) {
      (self.bytesOfEach, self.file) = (bytesOfEach, file)
    }
  }

  /// The word with which the messages of errors begin, such as `PNG`.
  public var name: String
  /// The format.
  public var format: ImageFormat

  /// The ways of writing a picture without loss, the usual one first; none for a format that has none.
  public var lossless: [EncodeOptions] = []
  /// The formats of pixels that come back as they are without loss.
  public var exactFormats: [PixelFormat] = [.rgba8, .opaqueRGBA8]
  /// Other formats of pixels that come back as the same colours without loss.
  public var sameColors: [PixelFormat] = [
    .gray8, PixelFormat(.bgra8, alpha: .straight), PixelFormat(.rgba8, alpha: .premultiplied),
  ]
  /// Sizes to try besides the usual ones.
  public var sizes: [PixelSize] = []
  /// The most pixels of a side.
  public var largestSide = Int.max
  /// What else files keep.
  public var keeps: Kept = []
  /// The numbers of bytes of profiles to try if any profile is kept.
  public var profileBytes = [3000, 3001]
  /// Codings of colours that files state.
  public var codings: [ColorDescription.Coding] = []
  /// For some qualities, the least similarity of a soft picture in decibels; empty for a format without quality.
  public var decibels: [(quality: Double, least: Double)] = []

  /// True if the lowest row comes first in a file, and is averaged first.
  public var isBottomUp = false
  /// The least similarity of thumbnails to those of all pixels, in decibels; nil if they are the same.
  public var thumbnailDecibels: Double?
  /// Ways of writing large pictures, to be read no larger than suffices; empty if such pictures are read in full.
  public var large: [EncodeOptions] = []
  /// True if a picture made of rows is shown as far as it has arrived.
  public var showsRows = false
  /// Moving pictures; nil for a format of still pictures.
  public var motion: Motion?

  /// Ways of writing the files that are cut and damaged.
  public var damagedWays = [EncodeOptions()]
  /// True if bytes at the end of a file may be missing without anything being wrong.
  public var mayLackItsEnd = false
  /// Files whose beginning states their size.
  public var beginnings: [Beginning] = []
  /// Files with more than 100 and fewer than 1000 blocks of one kind.
  public var floods: [[UInt8]] = []
  /// A file with many blocks of metadata.
  public var blocks: Blocks?

  /// Creates a description that promises nothing yet.
  public init(_ name: String, _ format: ImageFormat) { (self.name, self.format) = (name, format) }

  /// Creates a description of what the card of a format says.
  package init(_ card: FormatCard, name: String, _ describe: (inout FormatDescription) throws -> Void) rethrows {
    self.init(name, card.format)
    if card.isLossless { lossless = [EncodeOptions(lossless: true)] }
    try describe(&self)
  }
}
