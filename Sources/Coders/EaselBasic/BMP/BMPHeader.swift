import EaselCore

/// The header of a bitmap, which is in a BMP file after the first 14 bytes, and in an icon.
struct BMPHeader {
  enum Compression {
    case none, runs8, runs4, fields
  }

  /// The size of the header itself, which tells its version.
  let headerBytes: Int
  /// The size; for an icon, the height is that of the picture and its mask together.
  private(set) var size: PixelSize
  let isTopDown: Bool
  let bitsPerPixel: Int
  let compression: Compression
  let density: ImageMetadata.Density?

  private let content: [UInt8]
  private let hasAlphaMask: Bool
  private let statedColors: Int

  /// The size of the file header, which is also the offset of this header in a file.
  static let fileHeaderBytes = 14
  /// The most bytes that a header takes.
  static let mostBytes = 124

  /// The possible sizes of a header: 12, 16, 48 and 64 bytes are from OS/2, the others from Windows.
  private static let sizes: Set = [12, 16, 40, 48, 52, 56, 64, 108, 124]
  private static let depths: Set = [1, 2, 4, 8, 16, 24, 32]

  /// Reads a header from its first bytes; the error is a sentence about the rule that the header breaks.
  init(_ content: [UInt8]) throws(BMPFault) {
    guard content.count >= 12 else { throw BMPFault("the file ends within the header") }
    headerBytes = content.little32(at: 0)
    guard Self.sizes.contains(headerBytes) else { throw BMPFault("a header of \(headerBytes) bytes is not known") }
    guard content.count >= headerBytes else { throw BMPFault("the file ends within the header") }
    self.content = content
    let isCore = headerBytes == 12
    let width = isCore ? content.little16(at: 4) : content.signedLittle32(at: 4)
    let height = isCore ? content.little16(at: 6) : content.signedLittle32(at: 8)
    guard width > 0, height != 0 else { throw BMPFault("the header claims \(width)x\(height), which has no pixels") }
    size = PixelSize(width: width, height: abs(height))
    isTopDown = height < 0
    bitsPerPixel = content.little16(at: isCore ? 10 : 14)
    guard Self.depths.contains(bitsPerPixel) else {
      throw BMPFault("\(bitsPerPixel) bits per pixel are not possible")
    }
    let isShort = headerBytes < 40
    let method = isShort ? 0 : content.little32(at: 16)
    hasAlphaMask = method == 6 || headerBytes >= 56 && headerBytes != 64
    compression = try Self.compression(method, bits: bitsPerPixel, isOS2: headerBytes == 48 || headerBytes == 64)
    statedColors = isShort ? 0 : content.little32(at: 32)
    density = isShort ? nil : Self.density(content)
  }

  private static func compression(_ method: Int, bits: Int, isOS2: Bool) throws(BMPFault) -> Compression {
    switch (method, bits) {
    case (0, _): return .none
    case (1, 8): return .runs8
    case (2, 4): return .runs4
    case (3, 16), (3, 32), (6, 16), (6, 32):
      if !isOS2 { return .fields }
    default: break
    }
    throw BMPFault("compression \(method) at \(bits) bits per pixel is not read")
  }

  private static func density(_ content: [UInt8]) -> ImageMetadata.Density? {
    let (x, y) = (content.signedLittle32(at: 24), content.signedLittle32(at: 28))
    guard x > 0, y > 0 else { return nil }
    return ImageMetadata.Density(horizontal: Double(x) * 0.0254, vertical: Double(y) * 0.0254)
  }

  /// The header of an icon, without the half of the height that belongs to the mask.
  func withoutMask() throws(BMPFault) -> BMPHeader {
    guard size.height > 1, size.height % 2 == 0, !isTopDown else {
      throw BMPFault("an icon of \(size.height) rows cannot have as many rows of pixels as of its mask")
    }
    var result = self
    result.size.height /= 2
    return result
  }

  /// The number of bytes of bit masks after a header of 40 bytes.
  var maskBytes: Int {
    guard compression == .fields, headerBytes == 40 else { return 0 }
    return hasAlphaMask ? 16 : 12
  }

  /// The number of bytes of a colour in the table.
  var bytesPerColor: Int { headerBytes == 12 ? 3 : 4 }

  /// The number of colours in the table that pixels can refer to.
  ///
  /// A table may be shorter than the depth allows; `room` is the number of bytes before the pixels.
  func colors(room: Int?) -> Int {
    guard bitsPerPixel <= 8 else { return 0 }
    let most = 1 << bitsPerPixel
    let stated = statedColors > 0 ? min(statedColors, most) : most
    return room.map { min(stated, max(0, $0) / bytesPerColor) } ?? stated
  }

  /// The number of bytes of a row without compression.
  var bytesPerRow: Int { (size.width * bitsPerPixel + 31) / 32 * 4 }

  /// The bits of red, green, blue and alpha in a pixel of 16 or 32 bits; `masks` are the bytes after the header.
  func fields(_ masks: [UInt8]) throws(BMPFault) -> [UInt32] {
    guard compression == .fields else {
      return bitsPerPixel == 16 ? [0x7C00, 0x3E0, 0x1F, 0] : [0xFF0000, 0xFF00, 0xFF, 0]
    }
    let source = headerBytes == 40 ? masks : Array(content[40...])
    guard source.count >= (hasAlphaMask ? 16 : 12) else { throw BMPFault("the file ends within the bit masks") }
    let all: UInt32 = bitsPerPixel == 16 ? 0xFFFF : .max
    let fields = (0..<(hasAlphaMask ? 4 : 3)).map { UInt32(source.little32(at: 4 * $0)) & all }
    guard fields.prefix(3).contains(where: { $0 != 0 }) else { throw BMPFault("the bit masks leave no colour") }
    return fields.count == 4 ? fields : fields + [0]
  }

  /// The place of an embedded profile, relative to the header; nil when there is none.
  var profile: (offset: Int, count: Int)? {
    // "MBED", with the lowest byte first.
    guard headerBytes == 124, content.little32(at: 56) == 0x4D42_4544 else { return nil }
    let (offset, count) = (content.little32(at: 112), content.little32(at: 116))
    return offset >= headerBytes && count > 0 ? (offset, count) : nil
  }
}

/// A sentence that says why a bitmap cannot be read.
struct BMPFault: Error {
  let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}
