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
      format: work.format, effort: work.effort)
  }

  /// Estimates the memory of work on a picture.
  ///
  /// Leave out the source if its pixels are there already.
  package init(
    source: ImageFormat?, sourcePixels: Int, decodedPixels: Int, resultPixels: Int, isWide: Bool = false,
    isMoving: Bool = false, format: ImageFormat, effort: Duration = .zero
  ) {
    let pixelBytes = isWide ? 8.0 : 4.0
    var total = MemoryFactors.fixed
    if let source {
      let decoded = Double(max(0, decodedPixels)) * pixelBytes
      total += Double(max(0, sourcePixels)) * MemoryFactors.decoding(source) * (isWide ? 2 : 1)
      // A moving picture keeps the canvas, the one before it, and the frame that is drawn.
      total += isMoving ? 3 * decoded : decoded
      if source == MemoryFactors.svg { total += MemoryFactors.drawing }
    } else if effort > .zero {
      // A drawing whose size is not known before.
      total += MemoryFactors.drawing
    }
    total += Double(max(0, resultPixels)) * (MemoryFactors.changing * pixelBytes / 4 + MemoryFactors.encoding(format))
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

/// The bytes that work keeps for each pixel, besides the decoded pixels.
enum MemoryFactors {
  /// The bytes of the file, tables, and threads' stacks.
  static let fixed = 4e6
  static let svg = ImageFormat(mimeType: "image/svg+xml")
  /// What the elements of an SVG take.
  static let drawing = 64e6
  /// The pixels of the result, and the rows in linear light between.
  static let changing = 8.0

  /// For each pixel of the source.
  static func decoding(_ format: ImageFormat) -> Double { decoders[format] ?? 8 }

  /// For each pixel of the result.
  static func encoding(_ format: ImageFormat) -> Double { encoders[format] ?? 8 }

  private static let decoders: [ImageFormat: Double] = [
    // Those of a progressive JPEG in the usual resolution of colours; others keep a few rows.
    .jpeg: 3, .png: 0, .gif: 1, .webp: 4, .avif: 8, ImageFormat(mimeType: "image/heic"): 8,
    ImageFormat(mimeType: "image/bmp"): 0, ImageFormat(mimeType: "image/qoi"): 0,
    ImageFormat(mimeType: "image/x-portable-anymap"): 0, ImageFormat(mimeType: "image/tiff"): 2,
  ]

  private static let encoders: [ImageFormat: Double] = [
    .jpeg: 2, .png: 6, .gif: 8, .webp: 14, .avif: 60,
  ]
}
