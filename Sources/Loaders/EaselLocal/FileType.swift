import EaselCore

/// Finds the MIME type of a file, as a server would state it.
///
/// The first bytes decide for the formats that are known here, whatever the name says. The name decides only for
/// formats that need coders that a program adds: without a type they would fail the type check.
enum FileType {
  /// The MIME type; nil when neither the bytes nor the name tell it.
  static func mimeType(of bytes: ImageBytes, named path: String) throws(ImageError) -> String? {
    if let format = format(of: try bytes.prefix(64)) { return format.mimeType }
    let name = path.utf8.suffix(while: { $0 != UInt8(ascii: "/") })
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
    return typesByExtension[String(decoding: name[name.index(after: dot)...], as: UTF8.self).lowercased()]
  }

  private static func format(of start: [UInt8]) -> ImageFormat? {
    if start.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) { return .png }
    if start.starts(with: [0xff, 0xd8, 0xff]) { return .jpeg }
    if start.starts(with: "GIF87a".utf8) || start.starts(with: "GIF89a".utf8) { return .gif }
    if start.starts(with: "RIFF".utf8), start.dropFirst(8).starts(with: "WEBP".utf8) { return .webp }
    if hasBrand(start, ["avif", "avis"]) { return .avif }
    if hasBrand(start, ["heic", "heix", "hevc", "hevx", "heim", "heis"]) { return .heic }
    if isJXL(start) { return .jxl }
    if start.starts(with: "qoif".utf8) { return ImageFormat(mimeType: "image/qoi") }
    if isBMP(start) { return ImageFormat(mimeType: "image/bmp") }
    if isICO(start) { return ImageFormat(mimeType: "image/vnd.microsoft.icon") }
    if isPNM(start) { return ImageFormat(mimeType: "image/x-portable-anymap") }
    return nil
  }

  /// A box of brands, one of which is among these.
  private static func hasBrand(_ start: [UInt8], _ brands: [String]) -> Bool {
    guard start.count >= 16, start[4..<8].elementsEqual("ftyp".utf8) else { return false }
    let count = start[..<4].reduce(0) { $0 << 8 | Int($1) }
    return ([8] + Array(stride(from: 16, to: min(count, start.count), by: 4))).contains { place in
      brands.contains { start[place...].starts(with: $0.utf8) }
    }
  }

  /// A bare codestream, or the first box of a container.
  private static func isJXL(_ start: [UInt8]) -> Bool {
    start.count > 2 && start.starts(with: [0xff, 0x0a])
      || start.starts(with: [0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a])
  }

  /// "BM", and 12 bytes later the size of a header.
  private static func isBMP(_ start: [UInt8]) -> Bool {
    start.count >= 18 && start.starts(with: "BM".utf8) && [12, 16, 40, 48, 52, 56, 64, 108, 124].contains(start[14])
      && start[15] == 0 && start[16] == 0 && start[17] == 0
  }

  /// The directory of an icon or a cursor with an entry whose picture comes after it.
  private static func isICO(_ start: [UInt8]) -> Bool {
    guard start.count >= 22, start.starts(with: [0, 0]), (1...2).contains(start[2]), start[3] == 0 else { return false }
    func number(at offset: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(start[offset + $1]) << (8 * $1) }
    }
    let entries = number(at: 4, 2)
    return entries > 0 && number(at: 14, 4) > 0 && number(at: 18, 4) >= 6 + 16 * entries
  }

  /// P1 to P7, a blank, and a byte with which a size, a field or a comment can begin.
  private static func isPNM(_ start: [UInt8]) -> Bool {
    guard start.count > 3, start[0] == UInt8(ascii: "P"), start[2] <= 32 || start[2] == UInt8(ascii: "#") else {
      return false
    }
    switch start[1] {
    case UInt8(ascii: "1")...UInt8(ascii: "6"):
      return start[2] == UInt8(ascii: "#") || start[3] == UInt8(ascii: "#") || (48...57).contains(start[3])
    case UInt8(ascii: "7"):
      return ["W", "H", "D", "M", "T", "#"].contains(String(decoding: start[3...3], as: UTF8.self))
    default: return false
    }
  }

  private static let typesByExtension = [
    "heic": "image/heic", "heif": "image/heif",
    "jp2": "image/jp2", "jxl": "image/jxl", "svg": "image/svg+xml",
    "tif": "image/tiff", "tiff": "image/tiff",
  ]
}

extension BidirectionalCollection {
  /// The longest suffix in which every element matches.
  fileprivate func suffix(while isRight: (Element) -> Bool) -> SubSequence {
    var start = endIndex
    while start != startIndex, isRight(self[index(before: start)]) { start = index(before: start) }
    return self[start...]
  }
}
