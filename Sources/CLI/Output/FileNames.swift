/// Makes distinct file names from inputs.
struct FileNames {
  private var used: Set<String> = []

  /// The input's own name without directory and extension, numbered if another input has used this name in the folder.
  mutating func next(for word: String, in folder: String = "") -> String {
    let stem = Self.stem(of: word)
    var name = stem
    var number = 2
    while !used.insert(folder.isEmpty ? name : "\(folder)/\(name)").inserted {
      name = "\(stem)-\(number)"
      number += 1
    }
    return name
  }

  static func stem(of word: String) -> String {
    let path: String
    switch Input(word) {
    case .standardInput: return "stdin"
    case .file(let file): path = file
    case .url(let url):
      guard !url.lowercased().hasPrefix("data:") else { return "data" }
      path = decoded(url.prefix { $0 != "?" && $0 != "#" })
    }
    var name = path.split(separator: "/").last.map(String.init) ?? ""
    if let dot = name.lastIndex(of: "."), dot != name.startIndex { name = String(name[..<dot]) }
    return safe(name)
  }

  /// Decodes percent signs, except those that encode slashes and control characters.
  private static func decoded(_ url: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(url.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
        rest.count >= 2, value != UInt8(ascii: "/"), value >= 0x20
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A name that every file system accepts and that does not hide the file.
  private static func safe(_ name: String) -> String {
    var result = String(
      name.unicodeScalars.filter { $0.value >= 0x20 && $0 != "/" && $0.value != 0x7F }.map(Character.init))
    while result.utf8.count > 200 { result.removeLast() }
    let visible = result.drop { $0 == "." }
    return visible.isEmpty ? "picture" : String(visible)
  }
}
