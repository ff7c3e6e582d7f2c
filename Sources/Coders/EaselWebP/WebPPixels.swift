import CEaselWebP
import EaselCore
import EaselPixels
import FoundationEssentials

/// The pixels of a picture or a frame, compressed.
struct WebPPixels {
  /// The chunks: one of colours, and one of alpha before it where that is apart.
  let chunks: Data
  /// Whether these chunks say by themselves that there is alpha, which a file of nothing else needs.
  let tellsAlpha: Bool

  /// How pixels are to be compressed.
  struct Way {
    var isLossless: Bool
    /// 0 to 1.
    var quality: Double
    /// 0 to 9.
    var effort: Int
  }

  /// Looks now and then whether the work is still wanted.
  private final class Watch {
    let work: WorkContext
    var failure: ImageError?

    init(_ work: WorkContext) { self.work = work }

    func allowsMore() -> Bool {
      do throws(ImageError) { try work.checkCancellation() } catch { failure = error }
      return failure == nil
    }
  }

  /// Compresses straight or opaque RGBA8 pixels.
  init(_ bitmap: Bitmap, in rect: PixelRect? = nil, _ way: Way, work: WorkContext) throws(ImageError) {
    let rect = rect ?? PixelRect(covering: bitmap.size)
    let watch = Watch(work)
    guard watch.allowsMore() else { throw watch.failure! }
    var encoding = easel_webp_encoding(
      is_lossless: way.isLossless, quality: Float(min(1, max(0, way.quality)) * 100),
      effort: Int32(min(9, max(0, way.effort))), has_alpha: bitmap.format.alpha != .opaque)
    var file: UnsafeMutablePointer<UInt8>?
    var count = 0
    let status = bitmap.withUnsafeBytes { pixels in
      easel_webp_encode(
        &encoding, pixels.baseAddress! + rect.y * bitmap.bytesPerRow + rect.x * 4, bitmap.bytesPerRow,
        UInt32(rect.width), UInt32(rect.height),
        { Unmanaged<Watch>.fromOpaque($0!).takeUnretainedValue().allowsMore() },
        Unmanaged.passUnretained(watch).toOpaque(), &file, &count)
    }
    defer { easel_webp_free(file) }
    if let failure = watch.failure { throw failure }
    guard status == EASEL_WEBP_OK, let file else { throw Self.failure(status, rect.size) }
    (chunks, tellsAlpha) = Self.pixels(of: UnsafeRawBufferPointer(start: file, count: count))
  }

  private static func failure(_ status: easel_webp_status, _ size: PixelSize) -> ImageError {
    status == EASEL_WEBP_NO_MEMORY
      ? ImageError(.limitExceeded, "WebP: there is no memory to write a picture of \(size).")
      : ImageError(
        .encodeFailed,
        "WebP: libwebp does not write these pixels of \(size). A lower EncodeOptions.quality or a smaller "
          + "EncodeOptions.maxPixelSize may help.")
  }

  /// The chunks of pixels in a file as libwebp writes it: after RIFF, and VP8X where there is one.
  private static func pixels(of file: UnsafeRawBufferPointer) -> (chunks: Data, tellsAlpha: Bool) {
    let kind = { (place: Int) in
      WebPChunk.Kind(code: UInt32(littleEndian: file.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    }
    let start = kind(12) == .extended ? 30 : 12
    let chunks = Data(UnsafeRawBufferPointer(rebasing: file[start...]))
    // The head of a lossless chunk: eight bytes, a signature, 28 bits of size, and one that tells of alpha.
    return (chunks, kind(start) == .lossless && file[start + 12] & 0x10 != 0)
  }
}
