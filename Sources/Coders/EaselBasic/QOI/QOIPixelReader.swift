import EaselCore

/// Reads the pixels of a QOI file in order.
struct QOIPixelReader {
  private let bytes: ImageBytes
  /// The offset of the window in the file; `place` is the next byte to read in the window.
  private var start = QOIHeader.byteCount
  private var place = 0
  private var window: [UInt8] = []
  private var pixel = QOIPixel.qoiStart
  private var seen = [QOIPixel](repeating: QOIPixel(), count: 64)
  private var run = 0
  /// The bits that are set in every written pixel.
  private let bits: QOIPixel

  private static let windowBytes = 32_768

  /// With `isOpaque`, pixels are written without the alpha of the codes.
  ///
  /// The alpha still decides places in the table.
  init(_ bytes: ImageBytes, isOpaque: Bool = false) {
    self.bytes = bytes
    bits = QOIPixel(0, 0, 0, isOpaque ? 255 : 0)
  }

  /// The offset of the next code.
  var position: Int { start + place }

  /// Writes the next pixels; returns false if the file ends before the row is full.
  mutating func read(into row: UnsafeMutableBufferPointer<QOIPixel>) throws(ImageError) -> Bool {
    var x = 0
    while true {
      x = decode(into: row, from: x)
      if x == row.count { return true }
      let before = window.count - place
      try slide()
      guard window.count > before else { return false }
    }
  }

  /// Moves the window to the next code.
  private mutating func slide() throws(ImageError) {
    start += place
    place = 0
    window = try bytes.part(at: start, count: Self.windowBytes)
  }

  /// Writes pixels from `first` on until the row is full or a code reaches beyond the window; returns the next pixel.
  private mutating func decode(into row: UnsafeMutableBufferPointer<QOIPixel>, from first: Int) -> Int {
    let bits = bits
    var (x, place, run, pixel) = (first, place, run, pixel)
    defer { (self.place, self.run, self.pixel) = (place, run, pixel) }
    return window.withUnsafeBufferPointer { codes in
      seen.withUnsafeMutableBufferPointer { seen in
        while x < row.count {
          if run > 0 {
            let count = min(run, row.count - x)
            row[x..<x + count].update(repeating: pixel | bits)
            (x, run) = (x + count, run - count)
            continue
          }
          let left = codes.count - place
          guard left > 0 else { return x }
          let code = codes[place]
          if code >= 0xC0 && code < 0xFE {
            place += 1
            run = Int(code & 0x3F) + 1
            seen[pixel.qoiPlace] = pixel
            continue
          }
          guard left >= Self.longest || left >= Self.length(of: code) else { return x }
          switch code {
          case 0..<0x40:
            pixel = seen[Int(code)]
            place += 1
          case 0x40..<0x80:
            pixel &+= QOIPixel(code >> 4 & 3, code >> 2 & 3, code & 3, 0) &- QOIPixel(2, 2, 2, 0)
            place += 1
          case 0x80..<0xC0:
            let (more, green) = (codes[place + 1], (code & 0x3F) &- 32)
            pixel &+= QOIPixel(green &- 8 &+ (more >> 4), green, green &- 8 &+ (more & 15), 0)
            place += 2
          default:
            let alpha = code == 0xFF ? codes[place + 4] : pixel.w
            pixel = QOIPixel(codes[place + 1], codes[place + 2], codes[place + 3], alpha)
            place += code == 0xFF ? 5 : 4
          }
          seen[pixel.qoiPlace] = pixel
          row[x] = pixel | bits
          x += 1
        }
        return x
      }
    }
  }

  /// The number of bytes of the longest code.
  private static let longest = 5

  /// The number of bytes of a code and its values.
  private static func length(of code: UInt8) -> Int {
    switch code {
    case 0xFF: 5
    case 0xFE: 4
    case 0x80..<0xC0: 2
    default: 1
    }
  }

  /// The bytes after the last pixel.
  static let end: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

  /// Reads the bytes after the last pixel; returns false if they are not the end mark of the format.
  mutating func readEnd() throws(ImageError) -> Bool {
    guard run == 0, try bytes.part(at: position, count: Self.end.count) == Self.end else { return false }
    (start, place, window) = (position + Self.end.count, 0, [])
    return true
  }
}
