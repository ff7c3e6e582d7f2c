import Easel

/// Texts in a PNG, each with a name, in chunks `tEXt`.
///
/// They are put behind the header of a file that was just written, and read from one that another program may have written.
enum PNGText {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The signature and the header.
  private static let headLength = 33

  /// The file with texts, which must be ASCII.
  static func adding(_ texts: [(name: String, value: String)], to png: [UInt8]) -> [UInt8] {
    var result = Array(png.prefix(headLength))
    for (name, value) in texts {
      let content = Array("tEXt".utf8) + Array(name.utf8) + [0] + Array(value.utf8)
      result += bytes(of: UInt32(content.count - 4)) + content + bytes(of: checksum(content))
    }
    return result + png.dropFirst(headLength)
  }

  /// The texts before the pixels of a file; empty for one that is no PNG.
  static func texts(of png: [UInt8]) -> [String: String] {
    var texts: [String: String] = [:]
    guard png.starts(with: signature) else { return texts }
    var place = signature.count
    while place + 12 <= png.count {
      let length = png[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      let kind = png[place + 4..<place + 8]
      guard length <= png.count - place - 12, !kind.elementsEqual("IDAT".utf8) else { break }
      let content = png[place + 8..<place + 8 + length]
      if kind.elementsEqual("tEXt".utf8), let end = content.firstIndex(of: 0) {
        let value = content[(end + 1)...].map { Character(Unicode.Scalar($0)) }
        texts[String(decoding: content[..<end], as: UTF8.self)] = String(value)
      }
      place += length + 12
    }
    return texts
  }

  private static func bytes(of number: UInt32) -> [UInt8] {
    [UInt8(number >> 24), UInt8(number >> 16 & 255), UInt8(number >> 8 & 255), UInt8(number & 255)]
  }

  /// The CRC-32 of PNG.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
  }
}
