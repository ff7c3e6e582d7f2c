import CEaselJXL
import EaselCoding
import EaselCore
import EaselPixels
import EaselSupport
import FoundationEssentials

/// Compresses frames into a file through libjxl.
final class JXLWriter: FrameWriter {
  static let formatName = "JXL"

  private let writer: OpaquePointer
  private let format: PixelFormat
  private let size: PixelSize

  init(
    _ format: PixelFormat, _ size: PixelSize, _ metadata: ImageMetadata, _ settings: JXLEncodeSettings,
    _ options: EncodeOptions, plays: Int?
  ) throws(ImageError) {
    (self.format, self.size) = (format.stored, size)
    let (profile, coding) = metadata.storedColors
    var writing = Self.writing(self.format, size, settings, coding)
    writing.moves = plays != nil
    writing.ticks = 1000
    writing.plays = UInt32(clamping: plays ?? 0)
    writing.orientation = UInt32(metadata.orientation.rawValue)
    // The codestream states the turn. EXIF says that the picture is upright, so that readers that also obey EXIF do not
    // turn it twice.
    var upright = metadata
    upright.orientation = .up
    let kept = KeptMetadata(upright, options)
    do throws(ImageError) {
      writer = try Self.make(&writing, profile, kept.exif?.bytes, kept.xmp, size)
    } catch {
      // Readers cannot use a profile that libjxl cannot use either: they assume sRGB.
      guard profile != nil, error.code == .encodeFailed else { throw error }
      writer = try Self.make(&writing, nil, kept.exif?.bytes, kept.xmp, size)
    }
  }

  deinit { easel_jxl_writer_destroy(writer) }

  func add(_ bitmap: Bitmap, milliseconds: Int, isLast: Bool, work: WorkContext) throws(ImageError) {
    let bitmap = try bitmap.converted(to: format, work: work)
    try work.checkCancellation()
    let check = CancellationCheck(work)
    let packed = try bitmap.bytesPerRow == size.width * format.bytesPerPixel ? bitmap : bitmap.packed()
    let status = packed.withUnsafeBytes { pixels in
      check.asked {
        easel_jxl_writer_add(
          writer, pixels.baseAddress, packed.byteCount, UInt32(clamping: milliseconds), isLast, $0, $1)
      }
    }
    if let failure = check.failure { throw failure }
    guard status == EASEL_JXL_WRITTEN else { throw Self.failure(status, size) }
  }

  func file() throws(ImageError) -> Data {
    var count = 0
    guard let bytes = easel_jxl_writer_file(writer, &count), count > 0 else {
      throw Self.failure(EASEL_JXL_WRITER_FAILED, size)
    }
    return Data(bytes: bytes, count: count)
  }

  // MARK: Describing

  private static func writing(
    _ format: PixelFormat, _ size: PixelSize, _ settings: JXLEncodeSettings, _ coding: ColorDescription.Coding?
  ) -> easel_jxl_writing {
    var writing = easel_jxl_writing()
    writing.width = UInt32(size.width)
    writing.height = UInt32(size.height)
    writing.is_gray = format.layout == .gray8
    writing.has_alpha = format.alpha != .opaque
    writing.is_wide = format.layout == .rgba16
    writing.is_lossless = settings.isLossless
    // For pictures of high range, a reader takes 16 bits only if the file claims more than 8.
    writing.depth = writing.is_wide ? 16 : coding?.isHighRange == true && !settings.isLossless ? 10 : 8
    writing.distance = Float(settings.distance)
    writing.effort = Int32(settings.effort)
    writing.threads = Int32(CPUBudget.processors)
    (writing.white, writing.primaries, writing.transfer) = coding?.ofLibjxl ?? (1, 1, 13)
    return writing
  }

  private static func make(
    _ writing: inout easel_jxl_writing, _ profile: Data?, _ exif: Data?, _ xmp: Data?, _ size: PixelSize
  ) throws(ImageError) -> OpaquePointer {
    var made: OpaquePointer?
    let status = profile.withBytesForC { profile in
      exif.withBytesForC { exif in
        xmp.withBytesForC { xmp in
          (writing.profile, writing.profile_count) = profile
          (writing.exif, writing.exif_count) = exif
          (writing.xmp, writing.xmp_count) = xmp
          return easel_jxl_writer_create(&writing, &made)
        }
      }
    }
    guard status == EASEL_JXL_WRITTEN, let made else { throw failure(status, size) }
    return made
  }

  private static func failure(_ status: easel_jxl_written, _ size: PixelSize) -> ImageError {
    status == EASEL_JXL_WRITER_NO_MEMORY
      ? .exhausted("JXL: there is no memory to write a picture of \(size).")
      : ImageError(
        .encodeFailed,
        "JXL: libjxl cannot write this picture of \(size). A smaller EncodeOptions.maxPixelSize, or no colour profile, "
          + "may help.")
  }
}

extension Bitmap {
  /// These pixels in rows without gaps between them.
  fileprivate func packed() throws(ImageError) -> Bitmap {
    var result = try Bitmap(unfilled: size, format: format)
    let (source, target) = (bytesPerRow, result.bytesPerRow)
    withUnsafeBytes { from in
      result.withUnsafeMutableBytes { to in
        for y in 0..<height {
          (to.baseAddress! + y * target).copyMemory(from: from.baseAddress! + y * source, byteCount: target)
        }
      }
    }
    return result
  }
}
