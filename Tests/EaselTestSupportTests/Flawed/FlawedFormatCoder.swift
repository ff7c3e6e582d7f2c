import EaselCore
import EaselPNG
import EaselSupport
import EaselTestSupport
import FoundationEssentials

/// A coder of PNG that breaks one rule, or whose description promises more than PNG can keep.
final class FlawedFormatCoder: EncodingCoder, ProgressiveImageCoder, MetadataCountingCoder, SizeReadingCoder {
  private typealias Rule = FormatContract.Rule
  private struct Strange: Error {}

  private let flaw: FormatContract.Rule
  private let base = PNGCoder()
  private let count = Locked(0)

  init(_ flaw: FormatContract.Rule) { self.flaw = flaw }

  let identifier = "flawed"
  let formats = [ImageFormat.png]

  private static let forgetful: Set<Rule> = [
    .orientationComesBack, .metadataComeBack, .profileComesBack, .framesKeepMetadata, .codingComesBack,
  ]
  private static let blurred: Set<Rule> = [
    .pixelsComeBack, .colorsComeBack, .hiddenColorsComeBack, .profileIsUsed, .thumbnailShowsAllPixels,
    .picturesStandUpright, .arrivedRowsAreShown,
  ]
  private static let still: Set<Rule> = [
    .framesComeBack, .equalFramesKeepTheirCount, .otherFramesComeBack, .mostPlaysAndDelaysAreWritten,
    .framesAreMadeSmall, .framesStandUpright, .limitsBindFrames, .arrivedFramesPlay,
  ]

  /// What the coder is said to do.
  static func description(_ flaw: FormatContract.Rule) throws -> FormatDescription {
    var description = FormatDescription("PNG", .png)
    description.lossless = [EncodeOptions()]
    description.keeps = [.alpha, .hiddenColors, .orientation, .exif, .xmp, .density, .anyProfile, .profile]
    description.codings = [ColorDescription.Coding(primaries: 9, transfer: 16)]
    description.showsRows = true
    description.motion = .init(most: (Int(UInt32.max), .seconds(65_535)), playsWhileArriving: true)
    let plain = try PNGCoder().encode(
      Image(Bitmap(size: PixelSize(width: 3, height: 2), format: .rgba8)), as: .png, options: EncodeOptions(),
      work: WorkContext()
    ).withUnsafeBytes { Array($0) }
    // PNG does not keep these promises.
    switch flaw {
    case .qualityIsKept: description.decibels = [(0.5, 20)]
    case .orientationOfEXIFIsIgnored: description.keeps.insert(.orientationOutsideEXIF)
    case .grayProfileFitsThePixels: description.keeps.insert(.noGrayProfile)
    case .profileBecomesSRGB: description.keeps.insert(.noProfile)
    case .largePictureIsMadeSmall: description.large = [EncodeOptions(compressionLevel: 0)]
    case .sidesAreBounded: description.largestSide = 500
    case .delaysKeepTheirSum: description.motion?.countsMilliseconds = true
    case .beginningStatesTheSize:
      description.beginnings = [.init(plain, size: PixelSize(width: 2, height: 2), count: 33)]
    case .manyBlocksEndEarly: description.floods = [plain]
    case .blocksAreCounted: description.blocks = .init(bytesOfEach: 9) { _ in plain }
    default: break
    }
    return description
  }

  func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { try base.probe(bytes, work: work) }

  func storedSize(of bytes: ImageBytes, work: WorkContext) throws -> PixelSize {
    try base.storedSize(of: bytes, work: work)
  }

  func makeDecoder(prefix: [UInt8], options: DecodeOptions, work: WorkContext) throws -> (any ProgressiveDecoder)? {
    try base.makeDecoder(prefix: prefix, options: options, work: work)
  }

  func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    flaw == .plainFilesHaveNoMetadata ? 1 : try base.metadataBytes(of: bytes, work: work)
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    if flaw == .ends { blockForever() }
    var options = options
    if flaw == .firstFrameStandsAlone { options.firstFrameOnly = false }
    do {
      var image = try base.decode(bytes, options: options, work: work)
      if Self.blurred.contains(flaw) { image.bitmap.withUnsafeMutableBytes { $0[0] ^= 1 } }
      if flaw == .damagedEXIFHidesNothing { image.metadata.exif = Data([1]) }
      return image
    } catch  where flaw == .cutsAreNoticed || flaw == .wrongBytesDoNoHarm {
      throw Strange()
    } catch  where flaw == .noPictureIsAnError || flaw == .limitsBindReading {
      throw ImageError(.badImageData, "Something is wrong.")
    }
  }

  func canEncode(_ format: ImageFormat) -> Bool { base.canEncode(format) }

  func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext) throws -> ImageBytes {
    var (image, options, work) = (image, options, work)
    if Self.forgetful.contains(flaw) { image.metadata = ImageMetadata(storedSize: image.size) }
    if Self.still.contains(flaw) { image.frames = nil }
    switch flaw {
    case .fileFitsItsLimit: options.maxFileBytes = nil
    case .limitsBindWriting: work = WorkContext()
    case .firstFrameStandsAlone: options.firstFrameOnly = false
    case .impossibleFramesAreRefused: image.frames = nil
    default: break
    }
    let bytes = try base.encode(image, as: format, options: options, work: work)
    guard flaw == .equalPicturesAreEqualFiles else { return bytes }
    let number = count.withLock { count in
      count += 1
      return UInt8(truncatingIfNeeded: count)
    }
    return ImageBytes(try bytes.data() + [number])
  }
}
