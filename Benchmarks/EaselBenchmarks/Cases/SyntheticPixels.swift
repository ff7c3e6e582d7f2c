import EaselCore

/// An opaque picture whose pixels come from a function.
func synthetic(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> UInt32) throws -> Bitmap {
  var bitmap = try Bitmap(unfilled: PixelSize(width: width, height: height), format: .opaqueRGBA8)
  let bytesPerRow = bitmap.bytesPerRow
  bitmap.withUnsafeMutableBytes { bytes in
    for y in 0..<height {
      for x in 0..<width {
        bytes.storeBytes(of: pixel(x, y) | 0xFF00_0000, toByteOffset: y * bytesPerRow + x * 4, as: UInt32.self)
      }
    }
  }
  return bitmap
}

/// Slow slopes with sensor noise.
func photoPixel(_ x: Int, _ y: Int) -> UInt32 {
  var state = UInt32(truncatingIfNeeded: x &* 73_856_093 ^ y &* 19_349_663)
  return (0..<3).reduce(0) { color, component in
    state = state &* 1_664_525 &+ 1_013_904_223
    let slope = (x * (3 + component) / 40 + y * (5 - component) / 60) & 511
    let level = (slope < 256 ? slope : 511 - slope) * 15 / 16
    return color | UInt32(min(255, level + Int(state >> 28))) << (8 * UInt32(component))
  }
}

/// Flat windows with lines similar to text.
func screenPixel(_ x: Int, _ y: Int) -> UInt32 {
  let window = UInt32(truncatingIfNeeded: (x / 400) &* 31 &+ (y / 300) &* 17)
  let isText = y % 18 < 11 && x % 400 > 20 && x % 400 < 300
  let letter = UInt32(truncatingIfNeeded: (x / 7) &* 2_654_435_761 ^ (y / 18) &* 40_503)
  if isText, (letter >> UInt32((x % 7) + (y % 18) % 11)) & 1 == 1, x % 7 < 6 { return 0x20_2020 }
  return [0xFF_FFFF, 0xF4_F4F8, 0xFF_F8E8, 0x30_3640][Int(window % 4)]
}
