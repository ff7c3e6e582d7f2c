import EaselCore

/// Writes the pixels one after another, each in the shortest possible form.
struct QOIEncoder {
  private var bytes: [UInt8] = []
  private var previous = QOIPixel()
  private var seen = [QOIPixel](repeating: .nothing, count: 64)
  private var run: UInt8 = 0

  init() {}

  /// Encodes an RGBA8 bitmap, opaque or straight, as a file.
  consuming func encode(_ bitmap: Bitmap, work: WorkContext) throws -> [UInt8] {
    let hasAlpha = bitmap.format.alpha != .opaque
    bytes = QOIHeader.signature
    for side in [bitmap.width, bitmap.height] {
      bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) }
    }
    bytes += [hasAlpha ? 4 : 3, 0]
    try bitmap.withUnsafeBytes { pixels in
      for row in 0..<bitmap.height {
        if row % 16 == 0 { try work.checkCancellation() }
        for column in 0..<bitmap.width {
          let start = row * bitmap.bytesPerRow + column * 4
          write(
            QOIPixel(
              red: pixels[start], green: pixels[start + 1], blue: pixels[start + 2],
              alpha: hasAlpha ? pixels[start + 3] : 255))
        }
      }
    }
    endRun()
    return bytes + [0, 0, 0, 0, 0, 0, 0, 1]
  }

  private mutating func write(_ pixel: QOIPixel) {
    defer { previous = pixel }
    if pixel == previous {
      run += 1
      if run == 62 { endRun() }
      return
    }
    endRun()
    let place = pixel.place
    if seen[place] == pixel {
      bytes.append(UInt8(place))
      return
    }
    seen[place] = pixel
    guard pixel.alpha == previous.alpha else {
      bytes += [0xFF, pixel.red, pixel.green, pixel.blue, pixel.alpha]
      return
    }
    writeColor(of: pixel)
  }

  private mutating func writeColor(of pixel: QOIPixel) {
    let red = Int(Int8(bitPattern: pixel.red &- previous.red))
    let green = Int(Int8(bitPattern: pixel.green &- previous.green))
    let blue = Int(Int8(bitPattern: pixel.blue &- previous.blue))
    let (redOverGreen, blueOverGreen) = (red - green, blue - green)
    if (-2...1).contains(red), (-2...1).contains(green), (-2...1).contains(blue) {
      bytes.append(UInt8(0x40 | (red + 2) << 4 | (green + 2) << 2 | (blue + 2)))
    } else if (-32...31).contains(green), (-8...7).contains(redOverGreen), (-8...7).contains(blueOverGreen) {
      bytes += [UInt8(0x80 | (green + 32)), UInt8((redOverGreen + 8) << 4 | (blueOverGreen + 8))]
    } else {
      bytes += [0xFE, pixel.red, pixel.green, pixel.blue]
    }
  }

  private mutating func endRun() {
    guard run > 0 else { return }
    bytes.append(0xC0 | (run - 1))
    run = 0
  }
}
