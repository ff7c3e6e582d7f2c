import CEaselWebP
import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// The compressed pixels of a picture or a frame.
struct WebPPixels {
  /// The chunk of colours, preceded by a chunk of alpha if alpha is stored separately.
  let chunks: Data
  /// True if these chunks state alpha themselves, so that VP8X is needed only for other features.
  let tellsAlpha: Bool

  /// The settings of the compression.
  struct Way {
    var isLossless: Bool
    /// The quality from 0 to 1.
    var quality: Double
    /// The effort without loss, from 0 to 9.
    var effort: Int
    /// The effort with loss, from 0 to 6.
    var method = Way.usualMethod

    static let usualMethod = 4
    static func sensible(_ method: Int) -> Int { min(6, max(0, method)) }
  }

  /// Compresses RGBA8 pixels with straight alpha or without alpha.
  init(_ bitmap: Bitmap, in rect: PixelRect? = nil, _ way: Way, work: WorkContext) throws(ImageError) {
    let rect = rect ?? PixelRect(covering: bitmap.size)
    try work.checkCancellation()
    let check = CancellationCheck(work)
    var encoding = easel_webp_encoding(
      is_lossless: way.isLossless, quality: Float(min(1, max(0, way.quality)) * 100),
      effort: Int32(min(9, max(0, way.effort))), method: Int32(Way.sensible(way.method)),
      has_alpha: bitmap.format.alpha != .opaque)
    var file: UnsafeMutablePointer<UInt8>?
    var count = 0
    let status = bitmap.withUnsafeBytes { pixels in
      check.asked {
        easel_webp_encode(
          &encoding, pixels.baseAddress! + rect.y * bitmap.bytesPerRow + rect.x * 4, bitmap.bytesPerRow,
          UInt32(rect.width), UInt32(rect.height), $0, $1, &file, &count)
      }
    }
    defer { easel_webp_free(file) }
    if let failure = check.failure { throw failure }
    guard status == EASEL_WEBP_OK, let file else { throw Self.failure(status, rect.size) }
    (chunks, tellsAlpha) = Self.pixels(of: UnsafeRawBufferPointer(start: file, count: count))
  }

  private static func failure(_ status: easel_webp_status, _ size: PixelSize) -> ImageError {
    status == EASEL_WEBP_NO_MEMORY
      ? ImageError.exhausted("WebP: there is no memory to write a picture of \(size).")
      : ImageError(
        .encodeFailed,
        "WebP: libwebp cannot write this picture of \(size). A lower EncodeOptions.quality or a smaller "
          + "EncodeOptions.maxPixelSize may help.")
  }

  /// The pixel chunks of a file made by libwebp, which follow RIFF and VP8X, if there is one.
  private static func pixels(of file: UnsafeRawBufferPointer) -> (chunks: Data, tellsAlpha: Bool) {
    let kind = { (place: Int) in
      WebPChunk.Kind(code: UInt32(littleEndian: file.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    }
    let start = kind(12) == .extended ? 30 : 12
    let chunks = Data(UnsafeRawBufferPointer(rebasing: file[start...]))
    // A lossless chunk starts with a head of eight bytes, a signature, 28 bits of size, and one bit for alpha.
    return (chunks, kind(start) == .lossless && file[start + 12] & 0x10 != 0)
  }
}
