import EaselCore
import EaselFormats

/// The estimated memory that a piece of work takes at its busiest moment.
///
/// It counts what the server and the processes of its sandbox hold for one picture: what the decoder keeps, the decoded
/// pixels, those of the result, and what the encoder keeps.
package struct WorkFootprint: Hashable, Sendable {
  package let bytes: Int

  package init(bytes: Int) { self.bytes = max(0, bytes) }

  /// Estimates the memory of what the manager is about to do.
  package init(_ work: PixelWork, formats: FormatCards) {
    let header = work.header
    let stored = header?.storedSize.area ?? 0
    self.init(
      source: header?.format, sourcePixels: stored, decodedPixels: work.decodedSize?.area ?? stored,
      resultPixels: work.resultSize.area, isWide: (header?.bitDepth ?? 8) > 8, isMoving: work.frameCount > 1,
      format: work.format, effort: work.effort, decoderBytes: header?.decoderBytes, formats: formats)
  }

  /// Estimates the memory of work on a picture.
  ///
  /// Leave out the source if its pixels are there already. `decoderBytes` are those that the decoder keeps besides the
  /// pixels, if its coder knows them. The cards of `formats` tell what a pixel takes.
  package init(
    source: ImageFormat?, sourcePixels: Int, decodedPixels: Int, resultPixels: Int, isWide: Bool = false,
    isMoving: Bool = false, format: ImageFormat, effort: Duration = .zero, decoderBytes: Int? = nil,
    formats: FormatCards
  ) {
    let (scale, stored, result) = (isWide ? 2.0 : 1, Double(max(0, sourcePixels)), Double(max(0, resultPixels)))
    // A moving picture keeps the canvas, the one before it, and the frame that is drawn.
    let decoded = source == nil ? 0 : Double(max(0, decodedPixels)) * 4 * scale * (isMoving ? 3 : 1)
    var decoding = 0.0
    if let decoderBytes {
      decoding = Double(max(0, decoderBytes)) + decoded
    } else if let source {
      let cost = formats.cost(of: source)
      let (whole, besides) = cost.decoderBytes
      decoding = max(stored * whole * scale, stored * besides * scale + decoded) + cost.fixedBytes
    } else if effort > .zero {
      // A drawing whose size is not known before.
      decoding = FormatCost.drawing
    }
    // What the decoder keeps is gone before the encoder begins.
    let encoding = decoded + result * (4 * scale + formats.cost(of: format).encoderBytes)
    let total = MemoryFactors.fixed + max(decoding, encoding)
    self.init(bytes: Int(min(total, Self.most)))
  }

  /// The memory of the largest picture that limits of pixels allow, decoded whole and made as large as may be.
  package static func largest(sourcePixels: Int, resultPixels: Int, formats: FormatCards) -> WorkFootprint {
    WorkFootprint(
      source: .png, sourcePixels: sourcePixels, decodedPixels: sourcePixels,
      resultPixels: min(sourcePixels, resultPixels), format: .webp, formats: formats)
  }

  // Far from an overflow when many are added.
  private static let most = 1e15
}

/// The bytes that work takes whatever the formats; ``FormatCost`` has those of each format.
///
/// They were measured with pictures of 4 to 17 megapixels, as the growth of the server and its children while one of them
/// was made: of a PNG decoded at once 8.8 bytes for each pixel of the source, of a progressive JPEG that libjpeg-turbo
/// reads 3.4, of a lossless WebP 4.7 or with all its pixels 9.3, of a GIF 4.7, of an AVIF in the sandbox 10.5, of a TIFF
/// there 9 with its file. Encoding added for each pixel of the result 2 bytes as JPEG, 4 as PNG, 9.4 as WebP and 21 as AVIF
/// of speed 8. Other formats are estimates.
enum MemoryFactors {
  /// The fixed part: buffers for files, tables, and threads' stacks.
  ///
  /// A small JPEG takes 8 MB in all.
  static let fixed = 10e6
}
