import CEaselGIF
import EaselCoding
import EaselCore

/// The part of a picture that a frame stores.
///
/// A pixel that equals the pixel on the canvas needs no colour.
struct GIFStoredArea {
  private let bitmap: Bitmap
  /// The canvas before this frame.
  let before: Bitmap?
  private let rect: PixelRect

  init(_ bitmap: Bitmap, _ before: Bitmap?, _ rect: PixelRect) {
    self.bitmap = bitmap
    self.before = before
    self.rect = rect
  }

  /// This part, with a colour for every pixel.
  var withoutBefore: GIFStoredArea { GIFStoredArea(bitmap, nil, rect) }

  /// The colours of the part, nil if there are more than `most`.
  func colors(atMost most: Int) -> [UInt8]? {
    var colors = [UInt8](repeating: 0, count: 768)
    let count = withStarts { start, before, beforeBytesPerRow in
      easel_gif_collect_colors(
        start, bitmap.bytesPerRow, before, beforeBytesPerRow, rect.width, rect.height, most, &colors)
    }
    return count <= most ? Array(colors.prefix(3 * count)) : nil
  }

  /// The best colours for the part, at most `most`.
  func chosenColors(atMost most: Int, work: WorkContext) throws(ImageError) -> PalettePixels.Palette {
    try pixels.palette(atMost: most, skipsClear: true, work: work)
  }

  /// The colour index of each pixel; a pixel of a part whose colours are not exact spreads this share of its error.
  func indices(
    in colors: GIFColors, transparent: Int?, diffusion: Double, work: WorkContext
  ) throws(ImageError) -> [UInt8] {
    if let palette = colors.chosen {
      return try pixels.indices(in: palette, skipped: transparent, diffusion: diffusion, work: work)
    }
    return exactIndices(in: colors, transparent: transparent)
  }

  /// How much the square of an error may be at each pixel of a lossy frame.
  func limits(of loss: GIFLoss, work: WorkContext) throws(ImageError) -> [UInt32] {
    try pixels.limits(even: loss.evenLimit, restless: loss.restlessLimit, work: work)
  }

  private var pixels: PalettePixels { PalettePixels(bitmap, before: before, in: rect) }

  private func exactIndices(in colors: GIFColors, transparent: Int?) -> [UInt8] {
    var indices = [UInt8](repeating: 0, count: rect.size.area)
    let opaque = Array(colors.opaque.isEmpty ? colors.table[...] : colors.opaque)
    opaque.withUnsafeBufferPointer { opaque in
      var mapping = easel_gif_mapping()
      mapping.width = rect.width
      mapping.height = rect.height
      mapping.colors = opaque.baseAddress
      mapping.count = opaque.count / 3
      mapping.transparent = Int16(transparent ?? -1)
      withStarts { start, before, beforeBytesPerRow in
        easel_gif_map(&mapping, start, bitmap.bytesPerRow, before, beforeBytesPerRow, &indices)
      }
    }
    return indices
  }

  /// Calls `body` with the first pixel, and with the bytes from a row to the next.
  func withPixels<Result>(_ body: (UnsafeRawPointer, Int) -> Result) -> Result {
    withStarts { start, _, _ in body(start, bitmap.bytesPerRow) }
  }

  private func withStarts<Result>(_ body: (UnsafeRawPointer, UnsafeRawPointer?, Int) -> Result) -> Result {
    bitmap.withUnsafeBytes { pixels in
      let start = pixels.baseAddress! + rect.y * bitmap.bytesPerRow + rect.x * 4
      guard let before else { return body(start, nil, 0) }
      return before.withUnsafeBytes {
        body(start, $0.baseAddress! + rect.y * before.bytesPerRow + rect.x * 4, before.bytesPerRow)
      }
    }
  }

  static var noMemory: ImageError { ImageError.exhausted("GIF: there is no memory to write the picture.") }
}
