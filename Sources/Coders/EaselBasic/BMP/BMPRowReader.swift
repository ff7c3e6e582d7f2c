import EaselCore

/// Reads rows of pixels without compression.
struct BMPRowReader {
  private let body: BMPBody
  private var reader: ByteReader
  private var packed: [UInt8]
  private var row: [UInt32]
  private let fields: [BMPField]
  private let readsAlpha: Bool
  /// A colour for each index, also for those that the table lacks.
  private let colors: [UInt32]

  /// With `readsAlpha`, the fourth byte of 32 bits without masks is alpha, as in icons.
  init(_ body: BMPBody, _ bytes: ImageBytes, readsAlpha: Bool = false) {
    self.body = body
    reader = ByteReader(bytes, at: body.pixelOffset)
    packed = [UInt8](repeating: 0, count: body.header.bytesPerRow)
    row = [UInt32](repeating: 0, count: body.header.size.width)
    fields = body.fields.map(BMPField.init)
    self.readsAlpha = readsAlpha
    colors = body.allColors
  }

  mutating func read(into rows: PictureRows) throws(ImageError) -> String? {
    while !rows.isComplete {
      guard let row = try next() else { return "the file ends within the pixels, after \(rows.count) rows" }
      try row.pushed(to: rows)
    }
    return nil
  }

  /// The next row; nil when the file ends before it is whole.
  mutating func next() throws(ImageError) -> [UInt32]? {
    guard try readPacked() else { return nil }
    convert()
    return row
  }

  private mutating func readPacked() throws(ImageError) -> Bool {
    var reader = reader
    let result = packed.withUnsafeMutableBytes { bytes in
      Result<Int, ImageError> { () throws(ImageError) in try reader.read(into: bytes) }
    }
    self.reader = reader
    return try result.get() == packed.count
  }

  private mutating func convert() {
    switch body.header.bitsPerPixel {
    case 24:
      for x in row.indices { row[x] = QOIPixel(packed[3 * x + 2], packed[3 * x + 1], packed[3 * x], 255).word }
    case 16:
      for x in row.indices { row[x] = pixel(UInt32(packed[2 * x]) | UInt32(packed[2 * x + 1]) << 8) }
    case 32 where body.header.compression == .none:
      for x in row.indices {
        let alpha = readsAlpha ? packed[4 * x + 3] : 255
        row[x] = QOIPixel(packed[4 * x + 2], packed[4 * x + 1], packed[4 * x], alpha).word
      }
    case 32:
      for x in row.indices {
        let low = UInt32(packed[4 * x]) | UInt32(packed[4 * x + 1]) << 8
        row[x] = pixel(low | UInt32(packed[4 * x + 2]) << 16 | UInt32(packed[4 * x + 3]) << 24)
      }
    case let bits:
      let perByte = 8 / bits
      let most = (1 << bits) - 1
      for x in row.indices {
        let shift = 8 - bits * (x % perByte + 1)
        row[x] = colors[Int(packed[x / perByte]) >> shift & most]
      }
    }
  }

  private func pixel(_ word: UInt32) -> UInt32 {
    QOIPixel(
      fields[0].value(of: word), fields[1].value(of: word), fields[2].value(of: word),
      fields[3].mask == 0 ? 255 : fields[3].value(of: word)
    ).word
  }
}

/// The bits of one component in a pixel.
struct BMPField {
  let mask: UInt32
  private let shift: UInt32
  private let most: UInt64

  init(_ mask: UInt32) {
    self.mask = mask
    shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
    most = UInt64(mask >> shift)
  }

  /// The component of a pixel from 0 to 255, rounded down as by other readers.
  func value(of pixel: UInt32) -> UInt8 {
    guard most > 0 else { return 0 }
    let value = UInt64((pixel & mask) >> shift)
    return UInt8(truncatingIfNeeded: most == 255 ? value : value * 255 / most)
  }
}

extension BMPBody {
  /// The table, with black for the indices that it lacks.
  var allColors: [UInt32] {
    let black = QOIPixel(0, 0, 0, 255).word
    return colors + Array(repeating: black, count: max(0, 256 - colors.count))
  }
}
