import CEaselPixels
import EaselCoding
import EaselCore

/// Reads rows of pixels without compression.
struct BMPRowReader {
  private let body: BMPBody
  private var reader: ByteReader
  private var packed: [UInt8]
  /// True if the file ended after the pixels of the last row, but before the bytes that fill the row up.
  private var lacksPadding = false
  private let fields: [BMPField]
  private let readsAlpha: Bool
  /// A colour for each index, including those that the table lacks.
  private let colors: [UInt32]

  /// Creates a reader; with `readsAlpha`, the fourth byte of 32 bits without masks is alpha, as in icons.
  init(_ body: BMPBody, _ bytes: ImageBytes, readsAlpha: Bool = false) {
    self.body = body
    reader = ByteReader(bytes, at: body.pixelOffset)
    packed = [UInt8](repeating: 0, count: body.header.bytesPerRow)
    fields = body.fields.map(BMPField.init)
    self.readsAlpha = readsAlpha
    colors = body.allColors
  }

  mutating func read(into rows: ImageRows) throws(ImageError) -> Wound? {
    var reader = self
    defer { self = reader }
    while !rows.isComplete {
      let isWhole = try rows.push { (target) throws(ImageError) in try reader.next(into: target) }
      guard isWhole else { return Wound("the file ends within the pixels, after \(rows.count) rows") }
    }
    return reader.lacksPadding ? Wound("the file ends before the last bytes of its last row", sparesPixels: true) : nil
  }

  /// Writes the next row as RGBA; returns false when the file ends before the row is complete.
  mutating func next(into row: UnsafeMutableRawBufferPointer) throws(ImageError) -> Bool {
    var reader = reader
    let result = packed.withUnsafeMutableBytes { bytes in
      Result<Int, ImageError> { () throws(ImageError) in try reader.read(into: bytes) }
    }
    self.reader = reader
    let count = try result.get()
    guard count >= (row.count / 4 * body.header.bitsPerPixel + 7) / 8 else { return false }
    lacksPadding = count < packed.count
    packed.withUnsafeBytes { convert($0, to: row.assumingMemoryBound(to: UInt32.self)) }
    return true
  }

  private func convert(_ packed: UnsafeRawBufferPointer, to row: UnsafeMutableBufferPointer<UInt32>) {
    let (source, target, width) = (packed.baseAddress!, row.baseAddress!, row.count)
    switch body.header.bitsPerPixel {
    case 24:
      easel_rgb8_to_rgba8(true, source, 0, target, 0, width, 1)
    case 16:
      for x in 0..<width {
        target[x] = pixel(UInt32(UInt16(littleEndian: source.loadUnaligned(fromByteOffset: 2 * x, as: UInt16.self))))
      }
    case 32 where body.header.compression == .none:
      easel_swap_red_blue(EASEL_FORMAT_RGBA8, source, 0, target, 0, width, 1)
      let opaque = QOIPixel(0, 0, 0, 255).word
      if !readsAlpha { for x in 0..<width { target[x] |= opaque } }
    case 32:
      for x in 0..<width {
        target[x] = pixel(UInt32(littleEndian: source.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self)))
      }
    case let bits:
      let perByte = 8 / bits
      let most = (1 << bits) - 1
      colors.withUnsafeBufferPointer { colors in
        for x in 0..<width {
          let shift = 8 - bits * (x % perByte + 1)
          target[x] = colors[Int(packed[x / perByte]) >> shift & most]
        }
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

  /// The component of a pixel from 0 to 255, rounded down as in other readers.
  func value(of pixel: UInt32) -> UInt8 {
    guard most > 0 else { return 0 }
    let value = UInt64((pixel & mask) >> shift)
    return UInt8(truncatingIfNeeded: most == 255 ? value : value * 255 / most)
  }
}

extension BMPBody {
  /// The table, extended with black for the indices that it lacks.
  var allColors: [UInt32] {
    let black = QOIPixel(0, 0, 0, 255).word
    return colors + Array(repeating: black, count: max(0, 256 - colors.count))
  }
}
