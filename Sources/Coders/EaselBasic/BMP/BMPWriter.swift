import CEaselPixels
import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes 24 bits per pixel, or 32 with a mask for alpha if the picture has alpha.
struct BMPWriter {
  private let bitmap: Bitmap
  private let work: WorkContext
  private var hasAlpha: Bool { bitmap.format.alpha != .opaque }

  init(_ bitmap: Bitmap, work: WorkContext) throws {
    let format: PixelFormat = bitmap.format.alpha == .opaque ? .opaqueRGBA8 : .rgba8
    self.bitmap = try bitmap.converted(to: format, work: work)
    self.work = work
  }

  func file() throws -> Data {
    let header = header
    let bytesPerRow = (bitmap.width * (hasAlpha ? 32 : 24) + 31) / 32 * 4
    let offset = BMPHeader.fileHeaderBytes + header.count
    let (pixels, overflows) = bytesPerRow.multipliedReportingOverflow(by: bitmap.height)
    guard !overflows, pixels <= Int(UInt32.max) - offset else {
      throw ImageError(.encodeFailed, "BMP: a file of \(bitmap.size) pixels would have more than 4 GiB.")
    }
    var start = Array("BM".utf8)
    start.appendLittle32(offset + pixels)
    start.appendLittle32(0)
    start.appendLittle32(offset)
    start += header
    return try Data(pooledCount: offset + pixels) { file in
      file.copyBytes(from: start)
      try writeRows(of: bytesPerRow, to: UnsafeMutableRawBufferPointer(rebasing: file[offset...]))
    }
  }

  private func writeRows(of bytesPerRow: Int, to target: UnsafeMutableRawBufferPointer) throws {
    var pace = CancellationPace(work)
    try bitmap.withUnsafeBytes { bytes in
      for y in 0..<bitmap.height {
        try pace.step(pixels: bitmap.width)
        // The file begins with the lowest row.
        let start = (bitmap.height - 1 - y) * bytesPerRow
        write(
          bytes.baseAddress! + y * bitmap.bytesPerRow,
          to: UnsafeMutableRawBufferPointer(rebasing: target[start..<start + bytesPerRow]))
      }
    }
  }

  private func write(_ row: UnsafeRawPointer, to target: UnsafeMutableRawBufferPointer) {
    guard !hasAlpha else {
      easel_swap_red_blue(EASEL_FORMAT_RGBA8, row, 0, target.baseAddress, 0, bitmap.width, 1)
      return
    }
    easel_rgba8_to_rgb8(true, row, 0, target.baseAddress, 0, bitmap.width, 1)
    // Each row is padded to a multiple of four bytes.
    target[(3 * bitmap.width)...].initializeMemory(as: UInt8.self, repeating: 0)
  }

  private var header: [UInt8] {
    var header: [UInt8] = []
    header.appendLittle32(hasAlpha ? 124 : 40)
    header.appendLittle32(bitmap.width)
    header.appendLittle32(bitmap.height)
    header.appendLittle16(1)
    header.appendLittle16(hasAlpha ? 32 : 24)
    header.appendLittle32(hasAlpha ? 3 : 0)
    // The size of the pixel data, the density and the number of colours may be zero.
    for _ in 0..<5 { header.appendLittle32(0) }
    guard hasAlpha else { return header }
    for mask in [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000] { header.appendLittle32(mask) }
    // The colours are sRGB.
    header.appendLittle32(0x7352_4742)
    return header + [UInt8](repeating: 0, count: 124 - header.count)
  }
}
