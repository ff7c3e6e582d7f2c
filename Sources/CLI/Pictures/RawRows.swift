import Easel

/// Writes pixels as rows of straight RGBA with 8 bits.
enum RawRows {
  static func write(_ bitmap: Bitmap, to file: OutputFile) throws {
    let rowBytes = bitmap.width * 4
    let isReady = bitmap.format.layout == .rgba8 && bitmap.format.alpha != .premultiplied
    guard !isReady else {
      return try bitmap.withUnsafeBytes { bytes in
        guard bitmap.bytesPerRow != rowBytes else { return try file.write(bytes) }
        for row in 0..<bitmap.height {
          try file.write(UnsafeRawBufferPointer(rebasing: bytes[(row * bitmap.bytesPerRow)...].prefix(rowBytes)))
        }
      }
    }
    // The pixels are converted band by band, so that memory does not hold a large picture twice.
    let band = max(1, (1 << 18) / rowBytes)
    var first = 0
    while first < bitmap.height {
      let count = min(band, bitmap.height - first)
      let part = try bitmap.cropped(to: PixelRect(x: 0, y: first, width: bitmap.width, height: count))
      let converted = try part.converted(to: .rgba8)
      try converted.withUnsafeBytes { try file.write($0) }
      first += count
    }
  }
}
