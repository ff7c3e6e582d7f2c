/// The place of a chunk in the file.
struct PNGChunk: Hashable {
  /// The four letters of a chunk's name as one number.
  struct Kind: Hashable, CustomStringConvertible {
    let code: UInt32

    init(code: UInt32) { self.code = code }

    init(_ name: StaticString) {
      code = name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) } }

    var hasLettersOnly: Bool { bytes.allSatisfy { (65...90).contains($0) || (97...122).contains($0) } }

    /// True if the picture cannot be decoded without the chunk.
    var isCritical: Bool { code & 0x2000_0000 == 0 }

    var description: String { hasLettersOnly ? String(decoding: bytes, as: UTF8.self) : "chunk \(code)" }
  }

  let kind: Kind
  /// The offset of the chunk's first byte, where its length begins.
  let start: Int
  /// The number of bytes in the content.
  let count: Int

  var content: Int { start + 8 }
  var end: Int { content + count + 4 }
}

extension PNGChunk.Kind {
  static let header = Self("IHDR")
  static let palette = Self("PLTE")
  static let data = Self("IDAT")
  static let end = Self("IEND")
  static let transparency = Self("tRNS")
  static let animation = Self("acTL")
  static let frame = Self("fcTL")
  static let frameData = Self("fdAT")
  static let profile = Self("iCCP")
  static let coding = Self("cICP")
  static let display = Self("mDCV")
  static let light = Self("cLLI")
  static let exif = Self("eXIf")
  static let text = Self("iTXt")
  static let density = Self("pHYs")
  /// A chunk that Apple's tools write for their own use.
  static let apple = Self("CgBI")
}
