import EaselCore

/// Reads the rows of a bitmap in an icon, with its alpha or, without alpha, with the mask that follows the rows.
struct ICOBitmapReader {
  private let body: BMPBody
  private let bytes: ImageBytes
  private let hasAlpha: Bool

  /// Finds out whether the fourth byte of each pixel is alpha: it is not if all of these bytes are zero.
  init(_ body: BMPBody, _ bytes: ImageBytes, work: WorkContext) throws(ImageError) {
    self.body = body
    self.bytes = bytes
    guard body.header.bitsPerPixel == 32, body.header.compression == .none else {
      hasAlpha = body.hasAlpha
      return
    }
    var reader = BMPRowReader(body, bytes, readsAlpha: true)
    var row = [UInt32](repeating: 0, count: body.header.size.width)
    var hasAlpha = false
    for y in 0..<body.header.size.height where !hasAlpha {
      if y % 256 == 0 { try work.checkCancellation() }
      let result = row.withUnsafeMutableBytes { row in
        Result<Bool, ImageError> { () throws(ImageError) in try reader.next(into: row) }
      }
      guard try result.get() else { break }
      hasAlpha = row.contains { unsafeBitCast($0, to: QOIPixel.self).w != 0 }
    }
    self.hasAlpha = hasAlpha
  }

  /// Reads all rows; returns a description of damage, or nil without damage.
  func read(into rows: ImageRows) throws(ImageError) -> String? {
    var pixels = BMPRowReader(body, bytes, readsAlpha: hasAlpha)
    var mask = ByteReader(bytes, at: body.maskOffset)
    var bits = [UInt8](repeating: 0, count: body.maskBytesPerRow)
    while !rows.isComplete {
      var missing = "pixels"
      let isWhole = try rows.push { (target) throws(ImageError) in
        guard try pixels.next(into: target) else { return false }
        guard !hasAlpha else { return true }
        missing = "mask"
        for index in bits.indices {
          guard let byte = try mask.next() else { return false }
          bits[index] = byte
        }
        let row = target.assumingMemoryBound(to: UInt32.self)
        for x in row.indices where bits[x >> 3] << (x & 7) & 0x80 != 0 { row[x] = 0 }
        return true
      }
      guard isWhole else { return "the file ends within the \(missing), after \(rows.count) rows" }
    }
    return nil
  }
}

extension BMPBody {
  /// The offset of the mask, which follows the pixels.
  var maskOffset: Int { pixelOffset + header.bytesPerRow * header.size.height }

  /// The number of bytes of a row of the mask, which has one bit per pixel.
  var maskBytesPerRow: Int { (header.size.width + 31) / 32 * 4 }
}
