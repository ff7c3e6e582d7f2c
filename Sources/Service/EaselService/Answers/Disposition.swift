import EaselCore

/// The `Content-Disposition` field: shown or stored, and under which name.
enum Disposition {
  private static let mostBytes = 150

  /// The field; nil if nothing is to be said.
  static func field(fileName: String?, isAttachment: Bool, format: ImageFormat, _ formats: FormatNames) -> String? {
    let kind = isAttachment ? "attachment" : "inline"
    guard let fileName = fileName.flatMap({ cleaned($0, formats) }) else { return isAttachment ? kind : nil }
    let name = fileName + "." + formats.fileExtension(of: format)
    let plain = String(decoding: name.utf8.map { isPlain($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
    guard plain != name else { return "\(kind); filename=\"\(name)\"" }
    // RFC 8187; old clients take the plain name.
    let encoded = name.utf8.map { isPlain($0) && $0 != 0x20 ? String(UnicodeScalar($0)) : percent($0) }.joined()
    return "\(kind); filename=\"\(plain)\"; filename*=UTF-8''\(encoded)"
  }

  /// The name without directories, control characters and its extension; nil if nothing is left.
  private static func cleaned(_ name: String, _ formats: FormatNames) -> String? {
    let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
    var scalars = String.UnicodeScalarView()
    for scalar in last.unicodeScalars where scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value) {
      guard scalars.count < mostBytes / 4 else { break }
      scalars.append(scalar)
    }
    var text = String(scalars)
    if let dot = text.lastIndex(of: "."), dot != text.startIndex,
      formats.format(named: text[text.index(after: dot)...]) != nil
    {
      text = String(text[..<dot])
    }
    return text.allSatisfy { $0 == "." || $0 == " " } ? nil : text
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: " -._~".utf8.contains(byte)
    }
  }

  private static func percent(_ byte: UInt8) -> String {
    let digits = Array("0123456789ABCDEF")
    return "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
  }
}
