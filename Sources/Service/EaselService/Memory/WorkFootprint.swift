import EaselCore

/// The estimated memory that a piece of work takes at its busiest moment.
///
/// It counts what the server and the processes of its sandbox hold for one picture: what the decoder keeps, the decoded
/// pixels, those of the result, and what the encoder keeps.
package struct WorkFootprint: Hashable, Sendable {
  package let bytes: Int

  package init(bytes: Int) { self.bytes = max(0, bytes) }

  /// Estimates the memory of what the manager is about to do.
  package init(_ work: PixelWork) {
    let header = work.header
    let stored = header?.storedSize.area ?? 0
    self.init(
      source: header?.format, sourcePixels: stored, decodedPixels: work.decodedSize?.area ?? stored,
      resultPixels: work.resultSize.area, isWide: (header?.bitDepth ?? 8) > 8, isMoving: work.frameCount > 1,
      format: work.format, effort: work.effort, decoderBytes: header?.decoderBytes)
  }

  /// Estimates the memory of work on a picture.
  ///
  /// Leave out the source if its pixels are there already. `decoderBytes` are those that the decoder keeps besides the
  /// pixels, if its coder knows them.
  package init(
    source: ImageFormat?, sourcePixels: Int, decodedPixels: Int, resultPixels: Int, isWide: Bool = false,
    isMoving: Bool = false, format: ImageFormat, effort: Duration = .zero, decoderBytes: Int? = nil
  ) {
    let (scale, stored, result) = (isWide ? 2.0 : 1, Double(max(0, sourcePixels)), Double(max(0, resultPixels)))
    // A moving picture keeps the canvas, the one before it, and the frame that is drawn.
    let decoded = source == nil ? 0 : Double(max(0, decodedPixels)) * 4 * scale * (isMoving ? 3 : 1)
    var decoding = 0.0
    if let decoderBytes {
      decoding = Double(max(0, decoderBytes)) + decoded
    } else if let source {
      let kept = MemoryFactors.decoding(source)
      decoding = max(stored * kept.whole * scale, stored * kept.besides * scale + decoded)
      if source == MemoryFactors.svg { decoding += MemoryFactors.drawing }
    } else if effort > .zero {
      // A drawing whose size is not known before.
      decoding = MemoryFactors.drawing
    }
    // What the decoder keeps is gone before the encoder begins.
    let encoding = decoded + result * (4 * scale + MemoryFactors.encoding(format))
    let total = MemoryFactors.fixed + max(decoding, encoding)
    self.init(bytes: Int(min(total, Self.most)))
  }

  /// The memory of the largest picture that limits of pixels allow, decoded whole and made as large as may be.
  package static func largest(sourcePixels: Int, resultPixels: Int) -> WorkFootprint {
    WorkFootprint(
      source: .png, sourcePixels: sourcePixels, decodedPixels: sourcePixels,
      resultPixels: min(sourcePixels, resultPixels), format: .webp)
  }

  // Far from an overflow when many are added.
  private static let most = 1e15
}

/// The bytes that decoders and encoders keep for each pixel.
///
/// They were measured with pictures of 4 to 17 megapixels, as the growth of the server and its children while one of them
/// was made: of a PNG decoded at once 8.8 bytes for each pixel of the source, of a progressive JPEG 3.4, of a lossless WebP
/// 4.7 or with all its pixels 9.3, of a GIF 4.7, of an AVIF in the sandbox 10.5, of a TIFF there 9 with its file. Encoding
/// added for each pixel of the result 2 bytes as JPEG, 4 as PNG, 9.4 as WebP and 21 as AVIF of speed 8. Other formats are
/// estimates.
enum MemoryFactors {
  /// The fixed part: buffers for files, tables, and threads' stacks.
  ///
  /// A small JPEG takes 8 MB in all.
  static let fixed = 10e6
  static let svg = ImageFormat(mimeType: "image/svg+xml")
  /// The bytes of the elements of an SVG.
  static let drawing = 24e6

  /// The bytes that a decoder keeps for each pixel of the source: at least in all, and besides the decoded pixels.
  struct Kept {
    var whole: Double
    var besides: Double
  }

  static func decoding(_ format: ImageFormat) -> Kept { decoders[format] ?? Kept(whole: 12, besides: 8) }

  /// The bytes that an encoder keeps for each pixel of the result.
  static func encoding(_ format: ImageFormat) -> Double { encoders[format] ?? 10 }

  private static let decoders: [ImageFormat: Kept] = [
    // A progressive one; of one of the usual kind, which keeps a few rows, the coder says so.
    .jpeg: Kept(whole: 0, besides: 3.5), .png: Kept(whole: 9, besides: 5), .gif: Kept(whole: 5, besides: 1),
    .webp: Kept(whole: 5, besides: 5), .avif: Kept(whole: 11, besides: 7),
    ImageFormat(mimeType: "image/heic"): Kept(whole: 11, besides: 7),
    ImageFormat(mimeType: "image/tiff"): Kept(whole: 9, besides: 5),
    ImageFormat(mimeType: "image/bmp"): Kept(whole: 4, besides: 4),
    ImageFormat(mimeType: "image/qoi"): Kept(whole: 4, besides: 4),
    ImageFormat(mimeType: "image/x-portable-anymap"): Kept(whole: 4, besides: 4),
    svg: Kept(whole: 0, besides: 4),
  ]

  private static let encoders: [ImageFormat: Double] = [.jpeg: 2, .png: 6, .gif: 8, .webp: 10, .avif: 25]
}
