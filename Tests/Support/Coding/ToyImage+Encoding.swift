import EaselCore

extension ToyImage {
  /// Converts any image to a toy picture.
  init(encoding image: Image, options: EncodeOptions, work: WorkContext) throws {
    let box = options.maxPixelSize ?? image.size
    let size = image.size.thumbnail(in: box)
    let source = options.firstFrameOnly ? nil : image.frames
    var frames: [Frame] = []
    for index in 0..<(source?.count ?? 1) {
      try work.checkCancellation()
      let bitmap = try source?.frame(at: index) ?? image.bitmap
      let milliseconds = source.map { $0.duration(at: index).components } ?? (0, 0)
      let duration = Int(milliseconds.0) * 1000 + Int(milliseconds.1 / 1_000_000_000_000_000)
      frames.append(Frame(milliseconds: duration, pixels: bitmap.colors(at: size)))
    }
    self.init(
      size: size, orientation: image.metadata.orientation, hasAlpha: image.bitmap.format.alpha != .opaque,
      frames: frames)
    loopCount = source?.loopCount ?? 0
    if let limit = options.maxFileBytes, bytes.count > limit {
      throw ImageError(.encodeFailed, "Toy: the file takes \(bytes.count) bytes, over the limit of \(limit).")
    }
  }
}

extension Bitmap {
  /// The pixels with straight alpha, row by row, sampled to a size.
  func colors(at size: PixelSize) -> [PixelColor] {
    withUnsafeBytes { bytes in
      if size == self.size && format.layout == .rgba8 && format.alpha != .premultiplied { return rows(of: bytes) }
      return (0..<size.area).map { index in
        let x = index % size.width * width / size.width
        let y = index / size.width * height / size.height
        return color(at: y * bytesPerRow + x * format.bytesPerPixel, of: bytes)
      }
    }
  }

  /// The pixels in memory order, because reading single pixels of a large picture is slow under ThreadSanitizer.
  private func rows(of bytes: UnsafeRawBufferPointer) -> [PixelColor] {
    (0..<height).flatMap { y in
      UnsafeRawBufferPointer(rebasing: bytes[(y * bytesPerRow)...].prefix(width * 4)).bindMemory(to: PixelColor.self)
    }
  }

  private func color(at start: Int, of bytes: UnsafeRawBufferPointer) -> PixelColor {
    var color =
      switch format.layout {
      case .gray8: PixelColor(red: bytes[start], green: bytes[start], blue: bytes[start])
      case .rgba8:
        PixelColor(red: bytes[start], green: bytes[start + 1], blue: bytes[start + 2], alpha: bytes[start + 3])
      case .bgra8:
        PixelColor(red: bytes[start + 2], green: bytes[start + 1], blue: bytes[start], alpha: bytes[start + 3])
      case .rgba16:
        PixelColor(
          red: Self.high(bytes, start), green: Self.high(bytes, start + 2), blue: Self.high(bytes, start + 4),
          alpha: Self.high(bytes, start + 6))
      }
    if format.alpha == .premultiplied {
      color.red = Self.divided(color.red, by: color.alpha)
      color.green = Self.divided(color.green, by: color.alpha)
      color.blue = Self.divided(color.blue, by: color.alpha)
    }
    return color
  }

  private static func high(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> UInt8 {
    UInt8(bytes.loadUnaligned(fromByteOffset: start, as: UInt16.self) >> 8)
  }

  private static func divided(_ component: UInt8, by alpha: UInt8) -> UInt8 {
    alpha == 0 ? 0 : UInt8(min(255, (Int(component) * 255 + Int(alpha) / 2) / Int(alpha)))
  }
}
