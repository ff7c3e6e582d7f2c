import CEaselPNG
import EaselCore
import EaselPixels
import FoundationEssentials

/// Pixels as a PNG stores them, with the fewest channels and bits that hold them all.
struct PNGWrittenSamples {
  private var layout = easel_png_layout()
  private let rows: Rows

  private enum Rows {
    case bitmap(Bitmap)
    case packed([UInt8], bytesPerRow: Int)
  }

  init(_ bitmap: Bitmap, allowsPalette: Bool, hasGrayProfile: Bool?, work: WorkContext) throws {
    let bitmap = try Self.straight(bitmap, hasGrayProfile: hasGrayProfile, work: work)
    layout.width = UInt32(bitmap.width)
    layout.height = UInt32(bitmap.height)
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

  /// The chunks of the picture, from IHDR to IEND.
  func chunks(level: Int, work: WorkContext) throws -> [(kind: PNGChunk.Kind, content: Data)] {
    let file = try written(level: level, work: work)
    let bytes = ImageBytes(file)
    var window = PNGWindow(bytes)
    var chunks: [(kind: PNGChunk.Kind, content: Data)] = []
    var position = PNGScanner.signature.count
    while let chunk = try window.chunk(at: position) {
      chunks.append((chunk.kind, file[chunk.content..<chunk.content + chunk.count]))
      position = chunk.end
    }
    return chunks
  }

  private func written(level: Int, work: WorkContext) throws -> Data {
    let findsRunsOnly = try suitsRuns(level: level, work: work)
    return try written([0..<Int(layout.height)], level: level, findsRunsOnly: findsRunsOnly, work: work) {
      Data(bytes: $0, count: $1)
    }
  }

  /// True if a file has fewer bytes when only runs are looked for, which takes a tenth of the time.
  ///
  /// Photographs with grain have no other repetitions. A few bands of the picture tell if it is one.
  private func suitsRuns(level: Int, work: WorkContext) throws -> Bool {
    let height = Int(layout.height)
    let rows = min(8, Self.mostSampledPixels / 4 / max(1, Int(layout.width)))
    guard level > 0, rows > 0, height >= 64 else { return false }
    let bands = [1, 3, 5, 7].map { eighth in eighth * (height - rows) / 8..<eighth * (height - rows) / 8 + rows }
    let size = { (findsRunsOnly: Bool) in
      try written(bands, level: level, findsRunsOnly: findsRunsOnly, work: work) { $1 }
    }
    let runs = try size(true)
    var layout = layout
    let plain = 4 * rows * easel_png_filtered_row_bytes(&layout)
    // Bands of a picture that is easily compressed say little about the rest of it.
    guard runs * Self.leastShare > plain else { return false }
    return try Double(runs) < Self.worthwhile * Double(size(false))
  }

  private static let mostSampledPixels = 1 << 18
  /// The compressed bytes of photographs are at least a quarter.
  private static let leastShare = 4
  /// The bands do not tell exactly.
  private static let worthwhile = 0.99

  /// Writes some rows as a picture.
  private func written<Result>(
    _ bands: [Range<Int>], level: Int, findsRunsOnly: Bool, work: WorkContext,
    result: (UnsafePointer<UInt8>, Int) -> Result
  ) throws -> Result {
    var layout = layout
    layout.height = UInt32(bands.reduce(0) { $0 + $1.count })
    var made: OpaquePointer?
    try check(easel_png_writer_create(&layout, Int32(level), findsRunsOnly, &made))
    guard let writer = made else { throw Self.noMemory }
    defer { easel_png_writer_destroy(writer) }
    // Compressing a pixel takes about ten times as long as moving it.
    let most = max(1, CancellationPace.lines(of: Int(layout.width)) / 10)
    try withRows { start, bytesPerRow in
      for band in bands {
        var first = band.lowerBound
        while first < band.upperBound {
          try work.checkCancellation()
          let count = min(most, band.upperBound - first)
          try check(easel_png_writer_add_rows(writer, start + first * bytesPerRow, bytesPerRow, count))
          first += count
        }
      }
    }
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    try check(easel_png_writer_finish(writer, &bytes, &count))
    guard let bytes else { throw Self.noMemory }
    return result(bytes, count)
  }

  private func withRows(_ body: (UnsafeRawPointer, Int) throws -> Void) throws {
    switch rows {
    case .bitmap(let bitmap): try bitmap.withUnsafeBytes { try body($0.baseAddress!, bitmap.bytesPerRow) }
    case .packed(let bytes, let bytesPerRow): try bytes.withUnsafeBytes { try body($0.baseAddress!, bytesPerRow) }
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

  private static func palette(of bitmap: Bitmap, _ layout: inout easel_png_layout) -> Rows? {
    var colors = [UInt8](repeating: 0, count: 1024)
    var indices = [UInt8](repeating: 0, count: bitmap.width * bitmap.height)
    let count = bitmap.withUnsafeBytes {
      easel_png_make_palette($0.baseAddress, bitmap.bytesPerRow, bitmap.width, bitmap.height, &colors, &indices)
    }
    guard count > 0 else { return nil }
    layout.color_type = PNGHeader.ColorType.palette.rawValue
    layout.bit_depth = count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8
    layout.palette_count = count
    layout.transparency_bytes = (0..<count).prefix { colors[4 * $0 + 3] < 255 }.count
    // Without tRNS, the file would be read as an opaque picture.
    if bitmap.format.alpha != .opaque { layout.transparency_bytes = max(1, layout.transparency_bytes) }
    withUnsafeMutableBytes(of: &layout.palette) { target in
      for index in 0..<3 * count { target[index] = colors[index / 3 * 4 + index % 3] }
    }
    withUnsafeMutableBytes(of: &layout.transparency) { target in
      for index in 0..<count { target[index] = colors[4 * index + 3] }
    }
    return .packed(indices, bytesPerRow: bitmap.width)
  }

  private static var noMemory: ImageError {
    ImageError.exhausted("PNG: there is no memory to write the picture.")
  }

  private func check(_ status: easel_png_status) throws(ImageError) {
    switch status {
    case EASEL_PNG_OK: return
    case EASEL_PNG_NO_MEMORY: throw Self.noMemory
    default:
      throw ImageError(.encodeFailed, "PNG: libpng cannot write a picture of \(layout.width)x\(layout.height).")
    }
  }
}
