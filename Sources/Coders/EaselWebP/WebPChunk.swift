/// Where a chunk lies in the file.
struct WebPChunk: Hashable {
  /// The four letters of a chunk as one number, as they stand in the file.
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
  /// The first byte of its name.
  let start: Int
  /// The bytes of its content.
  let count: Int

  static let headBytes = 8

  var content: Int { start + Self.headBytes }
  var end: Int { content + count }
  /// Chunks begin at even places.
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
