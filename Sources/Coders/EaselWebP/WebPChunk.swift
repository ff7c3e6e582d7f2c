/// The place of a chunk in the file.
struct WebPChunk: Hashable {
  /// The four letters of a chunk's name as one number, in file order.
  struct Kind: Hashable, CustomStringConvertible {
    let code: UInt32

    init(code: UInt32) { self.code = code }

    init(_ name: StaticString) {
      code = name.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }

    var description: String {
      let bytes = code.littleEndianBytes
      let isReadable = bytes.allSatisfy { (32...126).contains($0) }
      return isReadable ? "\"\(String(decoding: bytes, as: UTF8.self))\"" : "chunk \(code)"
    }
  }

  let kind: Kind
  /// The offset of the first byte of the name.
  let start: Int
  /// The number of bytes in the content.
  let count: Int

  static let headBytes = 8

  var content: Int { start + Self.headBytes }
  var end: Int { content + count }
  /// The offset of the next chunk, which is always even.
  var paddedEnd: Int { end + count % 2 }
}

extension WebPChunk.Kind {
  static let extended = Self("VP8X")
  static let lossy = Self("VP8 ")
  static let lossless = Self("VP8L")
  static let alpha = Self("ALPH")
  static let animation = Self("ANIM")
  static let frame = Self("ANMF")
  static let profile = Self("ICCP")
  static let exif = Self("EXIF")
  static let xmp = Self("XMP ")

  var isImage: Bool { self == .lossy || self == .lossless }
}
