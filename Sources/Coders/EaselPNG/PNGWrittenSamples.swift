import CEaselPNG
import EaselCoding
import EaselCore
import EaselPixels
import EaselSupport

/// Pixels in the form that a PNG stores, with the fewest channels and bits that preserve them.
struct PNGWrittenSamples {
  private var layout = easel_png_layout()
  private let rows: Rows

  private enum Rows {
    case bitmap(Bitmap)
    case packed([UInt8], bytesPerRow: Int)
  }

  init(
    _ bitmap: Bitmap, allowsPalette: Bool, palette: PNGPalette? = nil, hasGrayProfile: Bool?, work: WorkContext
  ) throws {
    layout.width = UInt32(bitmap.width)
    layout.height = UInt32(bitmap.height)
    // Palettes hold colours, which a profile for grey does not describe.
    if let palette, hasGrayProfile != true,
      let indices = try Self.indices(of: bitmap, in: palette, &layout, work: work)
    {
      rows = indices
      return
    }
    let bitmap = try Self.straight(bitmap, hasGrayProfile: hasGrayProfile, work: work)
    layout.bit_depth = UInt8(bitmap.format.layout.bitsPerComponent)
    let hasAlpha = bitmap.format.alpha != .opaque
    if bitmap.format.layout == .gray8 {
      layout.color_type = PNGHeader.ColorType.gray.rawValue
      rows = .bitmap(bitmap)
    } else if hasGrayProfile == true, let gray = Self.gray(of: bitmap, hasAlpha: hasAlpha) {
      layout.color_type = (hasAlpha ? PNGHeader.ColorType.grayAlpha : .gray).rawValue
      rows = gray
    } else if allowsPalette, bitmap.format.layout == .rgba8, let indices = Self.palette(of: bitmap, &layout) {
      rows = indices
    } else {
      layout.color_type = (hasAlpha ? PNGHeader.ColorType.rgba : .rgb).rawValue
      rows = .bitmap(bitmap)
    }
  }

  /// Writes IHDR and, for pixels with a palette, PLTE and tRNS.
  func append(to writer: inout PNGChunkWriter, after headed: (inout PNGChunkWriter) -> Void = { _ in }) {
    writer.append(
      .header,
      layout.width.bigEndianBytes + layout.height.bigEndianBytes + [layout.bit_depth, layout.color_type, 0, 0, 0])
    headed(&writer)
    guard layout.palette_count > 0 else { return }
    withUnsafeBytes(of: layout.palette) { writer.append(.palette, $0.prefix(3 * layout.palette_count)) }
    guard layout.transparency_bytes > 0 else { return }
    withUnsafeBytes(of: layout.transparency) { writer.append(.transparency, $0.prefix(layout.transparency_bytes)) }
  }

  /// Calls `body` with the compressed rows, which are the content of IDAT, in pieces.
  func withCompressed<Result>(
    level: Int, work: WorkContext, _ body: ([UnsafeRawBufferPointer]) throws -> Result
  ) throws -> Result {
    var layout = layout
    var stream = easel_png_stream()
    let check = CancellationCheck(work)
    let status = try withRows { rows, bytesPerRow in
      check.asked {
        easel_png_compress(
          &layout, rows, bytesPerRow, Int32(level), Int32(CPUBudget.processors), $0, $1, &stream)
      }
    }
    defer { easel_png_stream_destroy(&stream) }
    if let failure = check.failure { throw failure }
    try self.check(status)
    return try body(
      UnsafeBufferPointer(start: stream.pieces, count: stream.count).map {
        UnsafeRawBufferPointer(start: $0.bytes, count: $0.count)
      })
  }

  private func withRows<Result>(_ body: (UnsafeRawPointer, Int) throws -> Result) throws -> Result {
    switch rows {
    case .bitmap(let bitmap): return try bitmap.withUnsafeBytes { try body($0.baseAddress!, bitmap.bytesPerRow) }
    case .packed(let bytes, let bytesPerRow):
      return try bytes.withUnsafeBytes { try body($0.baseAddress!, bytesPerRow) }
    }
  }

  private static func straight(_ bitmap: Bitmap, hasGrayProfile: Bool?, work: WorkContext) throws -> Bitmap {
    let alpha: PixelFormat.Alpha = bitmap.format.alpha == .opaque ? .opaque : .straight
    var layout = bitmap.format.layout == .bgra8 ? .rgba8 : bitmap.format.layout
    // Grey pixels with a colour profile must be stored as colours.
    if layout == .gray8 && hasGrayProfile == false { layout = .rgba8 }
    return try bitmap.converted(to: PixelFormat(layout, alpha: alpha), work: work)
  }

  private static func gray(of bitmap: Bitmap, hasAlpha: Bool) -> Rows? {
    let isWide = bitmap.format.layout == .rgba16
    let bytesPerRow = bitmap.width * (isWide ? 2 : 1) * (hasAlpha ? 2 : 1)
    var packed = [UInt8](repeating: 0, count: bytesPerRow * bitmap.height)
    let isGray = bitmap.withUnsafeBytes {
      easel_png_take_gray(
        isWide, hasAlpha, $0.baseAddress, bitmap.bytesPerRow, bitmap.width, bitmap.height, &packed)
    }
    return !isGray ? nil : .packed(packed, bytesPerRow: bytesPerRow)
  }

  /// The indices of the colours that are chosen, nil if the quality demands more of them.
  private static func indices(
    of bitmap: Bitmap, in palette: PNGPalette, _ layout: inout easel_png_layout, work: WorkContext
  ) throws -> Rows? {
    let alpha: PixelFormat.Alpha = bitmap.format.alpha == .opaque ? .opaque : .straight
    let bitmap = try bitmap.converted(to: PixelFormat(.rgba8, alpha: alpha), work: work)
    if let exact = Self.palette(of: bitmap, atMost: palette.colors, &layout) { return exact }
    let pixels = PalettePixels(bitmap)
    var chosen = try pixels.palette(
      atMost: palette.colors, wantedError: PNGPalette.error(of: palette.quality.upperBound), work: work)
    guard chosen.error <= PNGPalette.error(of: palette.quality.lowerBound) else { return nil }
    var indices = try pixels.indices(in: chosen, diffusion: palette.dithering, work: work)
    let made = chosen.colors.count / 4
    chosen.colors.append(contentsOf: repeatElement(0, count: 1024 - 4 * made))
    let count = easel_png_arrange_palette(&chosen.colors, made, &indices, indices.count)
    describe(chosen.colors, count, hasAlpha: alpha != .opaque, in: &layout)
    return .packed(indices, bytesPerRow: bitmap.width)
  }

  private static func palette(
    of bitmap: Bitmap, atMost most: Int = 256, _ layout: inout easel_png_layout
  ) -> Rows? {
    var colors = [UInt8](repeating: 0, count: 1024)
    var indices = [UInt8](repeating: 0, count: bitmap.width * bitmap.height)
    let count = bitmap.withUnsafeBytes {
      easel_png_make_palette($0.baseAddress, bitmap.bytesPerRow, bitmap.width, bitmap.height, &colors, &indices)
    }
    guard count > 0, count <= most else { return nil }
    describe(colors, count, hasAlpha: bitmap.format.alpha != .opaque, in: &layout)
    return .packed(indices, bytesPerRow: bitmap.width)
  }

  /// States a palette, in which the colours with alpha come first.
  private static func describe(_ colors: [UInt8], _ count: Int, hasAlpha: Bool, in layout: inout easel_png_layout) {
    layout.color_type = PNGHeader.ColorType.palette.rawValue
    layout.bit_depth = count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8
    layout.palette_count = count
    layout.transparency_bytes = (0..<count).prefix { colors[4 * $0 + 3] < 255 }.count
    // Without tRNS, the file would be read as an opaque picture.
    if hasAlpha { layout.transparency_bytes = max(1, layout.transparency_bytes) }
    withUnsafeMutableBytes(of: &layout.palette) { target in
      for index in 0..<3 * count { target[index] = colors[index / 3 * 4 + index % 3] }
    }
    withUnsafeMutableBytes(of: &layout.transparency) { target in
      for index in 0..<count { target[index] = colors[4 * index + 3] }
    }
  }

  private static var noMemory: ImageError {
    ImageError.exhausted("PNG: there is no memory to write the picture.")
  }

  private func check(_ status: easel_png_status) throws(ImageError) {
    switch status {
    case EASEL_PNG_OK: return
    case EASEL_PNG_NO_MEMORY: throw Self.noMemory
    default:
      throw ImageError(.encodeFailed, "PNG: the coder cannot write a picture of \(layout.width)x\(layout.height).")
    }
  }
}
