import CEaselWebP
import EaselCore

/// Reduces planes and mixes their colours, with the arithmetic of libwebp.
final class WebPShrinker {
  private let shrinker: OpaquePointer
  /// One row of the result.
  private var row: [UInt8]

  /// Returns nil if memory is short, or if the sizes do not fit.
  ///
  /// With `isPlain`, it uses the code for processors without vectors.
  init?(from source: PixelSize, to size: PixelSize, isPlain: Bool = false) {
    var made: OpaquePointer?
    let status = easel_webp_shrinker_create(
      UInt32(source.width), UInt32(source.height), UInt32(size.width), UInt32(size.height), &made)
    guard status == EASEL_WEBP_OK, let made else { return nil }
    shrinker = made
    if isPlain { easel_webp_shrinker_be_plain(made) }
    row = [UInt8](repeating: 0, count: size.width * 4)
  }

  deinit { easel_webp_shrinker_destroy(shrinker) }

  /// Takes the next rows of the planes, and passes on each complete row of pixels.
  func shrink(
    _ rows: UnsafeRawPointer, count: Int, into take: (UnsafeRawBufferPointer) throws(ImageError) -> Void
  ) throws(ImageError) {
    try row.withUnsafeMutableBufferPointer { row throws(ImageError) in
      while easel_webp_shrinker_next(shrinker, rows, count, row.baseAddress!) {
        try take(UnsafeRawBufferPointer(row))
      }
    }
  }
}
