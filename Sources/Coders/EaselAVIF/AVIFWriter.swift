import CEaselAVIF
import EaselCoding
import EaselCore
import EaselPixels
import EaselSupport
import FoundationEssentials

/// Compresses frames to a file with libavif.
final class AVIFWriter: FrameWriter {
  static let formatName = "AVIF"

  private let writer: OpaquePointer
  private let format: PixelFormat
  private let size: PixelSize
  private let plays: Int?
  private let light: AVIFLightWriter?

  init(
    _ format: PixelFormat, _ size: PixelSize, _ metadata: ImageMetadata, _ settings: AVIFEncodeSettings,
    _ options: EncodeOptions, plays: Int?
  ) throws(ImageError) {
    (self.format, self.size, self.plays) = (format.stored, size, plays)
    light = AVIFLightWriter(metadata.color)
    let (profile, stated) = metadata.storedColors
    let coding = profile == nil ? stated ?? .sRGB : nil
    var writing = Self.writing(self.format, size, settings, coding, isHighRange: coding?.isHighRange == true)
    writing.is_still = plays == nil
    let turn = metadata.orientation.quarterTurnsAndMirror
    (writing.turns, writing.swaps_left_and_right) = (UInt8(turn.left), turn.isMirrored)
    // The turn is stated outside EXIF and XMP. Programs that obey both would turn twice, so EXIF and XMP state an
    // upright picture.
    var upright = metadata
    upright.orientation = .up
    let kept = KeptMetadata(upright, options)
    writer = try Self.make(&writing, profile, kept.exif?.bytes, kept.xmp, size)
  }

  deinit { easel_avif_writer_destroy(writer) }

  func add(_ bitmap: Bitmap, milliseconds: Int, isLast: Bool, work: WorkContext) throws(ImageError) {
    let bitmap = try bitmap.converted(to: format, work: work)
    try work.checkCancellation()
    let status = bitmap.withUnsafeBytes {
      easel_avif_writer_add(writer, $0.baseAddress, bitmap.bytesPerRow, UInt64(milliseconds))
    }
    guard status == EASEL_AVIF_OK else { throw failure(status) }
  }

  /// The file with all frames, with the picture's information about its light and its plays.
  func file() throws(ImageError) -> Data {
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    let status = easel_avif_writer_finish(writer, &bytes, &count)
    guard status == EASEL_AVIF_OK, let bytes else { throw failure(status) }
    let file = Data(bytes: bytes, count: count)
    let lit = light?.added(to: file) ?? file
    return try plays.map { (plays) throws(ImageError) in try AVIFSequence(lit).playing(plays) } ?? lit
  }

  // MARK: Describing

  private static func writing(
    _ format: PixelFormat, _ size: PixelSize, _ settings: AVIFEncodeSettings, _ coding: ColorDescription.Coding?,
    isHighRange: Bool
  ) -> easel_avif_writing {
    let isGray = format.layout == .gray8
    var writing = easel_avif_writing()
    writing.width = UInt32(size.width)
    writing.height = UInt32(size.height)
    writing.is_wide = format.layout == .rgba16
    let usualDepth = writing.is_wide && settings.isLossless ? 12 : writing.is_wide || isHighRange ? 10 : 8
    writing.depth = UInt32(settings.depth ?? usualDepth)
    writing.has_alpha = format.alpha != .opaque
    writing.speed = Int32(settings.speed)
    writing.threads = Int32(CPUBudget.processors)
    writing.scale = 1000
    if !settings.isLossless {
      writing.quantizer = Int32(AVIFEncodeSettings.quantizer(settings.quality))
      writing.alpha_quantizer = Int32(AVIFEncodeSettings.quantizer(settings.alphaQuality))
    }
    switch settings.chroma {
    case _ where isGray: writing.chroma = EASEL_AVIF_GRAY
    case .quarter where !settings.isLossless: writing.chroma = EASEL_AVIF_420
    case .halfWidth where !settings.isLossless: writing.chroma = EASEL_AVIF_422
    default: writing.chroma = EASEL_AVIF_444
    }
    writing.primaries = UInt16(clamping: coding?.primaries ?? 2)
    writing.transfer = UInt16(clamping: coding?.transfer ?? 2)
    // Without loss there is no matrix, else BT.2020 has its own matrix, and other colours use BT.601 as in JPEG.
    writing.matrix = settings.isLossless && !isGray ? 0 : coding?.primaries == 9 ? 9 : 6
    return writing
  }

  private static func make(
    _ writing: inout easel_avif_writing, _ profile: Data?, _ exif: Data?, _ xmp: Data?, _ size: PixelSize
  ) throws(ImageError) -> OpaquePointer {
    var made: OpaquePointer?
    let status = profile.withBytesForC { profile in
      exif.withBytesForC { exif in
        xmp.withBytesForC { xmp in
          (writing.profile, writing.profile_count) = profile
          (writing.exif, writing.exif_count) = exif
          (writing.xmp, writing.xmp_count) = xmp
          return easel_avif_writer_create(&writing, &made)
        }
      }
    }
    guard status == EASEL_AVIF_OK, let made else { throw failure(status, size, "") }
    return made
  }

  private func failure(_ status: easel_avif_status) -> ImageError {
    Self.failure(status, size, String(cString: easel_avif_writer_message(writer)))
  }

  private static func failure(_ status: easel_avif_status, _ size: PixelSize, _ detail: String) -> ImageError {
    let said = detail.isEmpty ? "" : " (libavif: \(detail))"
    switch status {
    case EASEL_AVIF_NO_MEMORY:
      return .exhausted("AVIF: there is no memory to write a picture of \(size)\(said).")
    case EASEL_AVIF_NO_CODEC:
      return ImageError(.encodeFailed, "AVIF: this libavif was built without libaom, which encodes the pixels.")
    default:
      return ImageError(
        .encodeFailed,
        "AVIF: libavif cannot write this picture of \(size)\(said). A smaller EncodeOptions.maxPixelSize may help.")
    }
  }
}

extension ImageMetadata.Orientation {
  /// The quarter turns counter-clockwise, and then the mirror of left and right, that set a picture upright.
  var quarterTurnsAndMirror: (left: Int, isMirrored: Bool) {
    for isMirrored in [false, true] {
      for turns in 0..<4 {
        let orientation = ImageMetadata.Orientation(
          quarterTurnsLeft: turns, swapsLeftAndRight: isMirrored, swapsTopAndBottom: false)
        if orientation == self { return (turns, isMirrored) }
      }
    }
    return (0, false)
  }
}
