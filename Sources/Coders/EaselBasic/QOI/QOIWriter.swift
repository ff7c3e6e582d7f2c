import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes a QOI file.
struct QOIWriter {
  /// The previous pixel and the table of recent pixels, each pixel as four bytes.
  private var before = QOIPixel.qoiStart.word
  private var seen = [UInt32](repeating: 0, count: 64)
  private var run: UInt8 = 0

  /// The most bytes that one pixel takes, not counting the code of a run that ends before the pixel.
  private static let mostBytes = 5

  static func file(of bitmap: Bitmap, work: WorkContext) throws -> Data {
    let hasAlpha = bitmap.format.alpha != .opaque
    let bitmap = try bitmap.converted(to: hasAlpha ? .rgba8 : .opaqueRGBA8, work: work)
    var file = Data(QOIHeader(size: bitmap.size, hasAlpha: hasAlpha).bytes)
    var writer = QOIWriter()
    var pace = CancellationPace(work)
    var codes = [UInt8](repeating: 0, count: Self.mostBytes * bitmap.width + 1)
    try bitmap.withUnsafeBytes { bytes in
      try codes.withUnsafeMutableBufferPointer { codes in
        for y in 0..<bitmap.height {
          try pace.step(pixels: bitmap.width)
          let row = UnsafeRawBufferPointer(rebasing: bytes[(y * bitmap.bytesPerRow)...].prefix(4 * bitmap.width))
          let count = writer.write(row.bindMemory(to: UInt32.self), to: codes.baseAddress!)
          file.append(codes.baseAddress!, count: count)
        }
      }
    }
    if writer.run > 0 { file.append(0xC0 | (writer.run - 1)) }
    file.append(contentsOf: QOIPixelReader.end)
    return file
  }

  /// Writes the codes of a row; returns the number of bytes.
  private mutating func write(_ row: UnsafeBufferPointer<UInt32>, to codes: UnsafeMutablePointer<UInt8>) -> Int {
    var (count, run, before) = (0, run, before)
    seen.withUnsafeMutableBufferPointer { seen in
      for word in row {
        guard word != before else {
          run += 1
          if run == 62 {
            codes[count] = 0xC0 | 61
            (count, run) = (count + 1, 0)
          }
          continue
        }
        if run > 0 {
          codes[count] = 0xC0 | (run - 1)
          (count, run) = (count + 1, 0)
        }
        let place = Self.place(of: word)
        if seen[place] == word {
          codes[count] = UInt8(truncatingIfNeeded: place)
          count += 1
        } else {
          seen[place] = word
          count += Self.put(word, after: before, at: codes + count)
        }
        before = word
      }
    }
    (self.run, self.before) = (run, before)
    return count
  }

  private static func component(_ index: UInt32, of word: UInt32) -> UInt8 {
    UInt8(truncatingIfNeeded: UInt32(littleEndian: word) >> (8 * index))
  }

  private static func place(of word: UInt32) -> Int {
    let word = UInt32(littleEndian: word)
    let sum = (word & 255) &* 3 &+ (word >> 8 & 255) &* 5 &+ (word >> 16 & 255) &* 7 &+ (word >> 24) &* 11
    return Int(sum & 63)
  }

  /// Writes a pixel that is not in the table of recent pixels; returns the number of bytes.
  @inline(__always)
  private static func put(_ word: UInt32, after before: UInt32, at codes: UnsafeMutablePointer<UInt8>) -> Int {
    let (red, green, blue) = (component(0, of: word), component(1, of: word), component(2, of: word))
    if component(3, of: word) == component(3, of: before) {
      let (redChange, greenChange) = (red &- component(0, of: before), green &- component(1, of: before))
      let blueChange = blue &- component(2, of: before)
      if (redChange &+ 2) | (greenChange &+ 2) | (blueChange &+ 2) < 4 {
        codes[0] = 0x40 | (redChange &+ 2) << 4 | (greenChange &+ 2) << 2 | (blueChange &+ 2)
        return 1
      }
      let (redRest, blueRest) = (redChange &- greenChange &+ 8, blueChange &- greenChange &+ 8)
      if greenChange &+ 32 < 64 && redRest | blueRest < 16 {
        codes[0] = 0x80 | (greenChange &+ 32)
        codes[1] = redRest << 4 | blueRest
        return 2
      }
    }
    let hasAlpha = component(3, of: word) != component(3, of: before)
    (codes[0], codes[1], codes[2], codes[3]) = (hasAlpha ? 0xFF : 0xFE, red, green, blue)
    guard hasAlpha else { return 4 }
    codes[4] = component(3, of: word)
    return 5
  }
}
