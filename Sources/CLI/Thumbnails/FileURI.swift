import Easel
import Glibc

/// A local file with the URI that all programs of a desktop give it.
struct FileURI: Hashable, Sendable {
  let path: String

  /// Takes a `file:` URI or a path; nil if it is neither.
  init?(_ word: String) {
    switch Input(word) {
    case .standardInput: return nil
    case .file(let path): self.path = Self.absolute(path)
    case .url(let text):
      guard let rest = Self.localPart(of: text), let path = Self.unescaped(rest), path.hasPrefix("/") else {
        return nil
      }
      self.path = Self.absolute(path)
    }
  }

  /// The URI as GLib writes it: thumbnails are found by its hash, so that each character counts.
  var text: String {
    "file://"
      + path.utf8.reduce(into: "") { text, byte in
        if Self.isPlain(byte) {
          text.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
          text += "%" + Self.digits[Int(byte >> 4)] + Self.digits[Int(byte & 15)]
        }
      }
  }

  private static let digits = "0123456789ABCDEF".map(String.init)
  private static let plainSigns = Set("!$&'()*+,-./:=@_~".utf8)

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: plainSigns.contains(byte)
    }
  }

  /// The path in a `file:` URI of this machine, still escaped.
  private static func localPart(of text: String) -> Substring? {
    guard text.prefix(5).lowercased() == "file:" else { return nil }
    let rest = text.dropFirst(5)
    guard rest.hasPrefix("//") else { return rest }
    let path = rest.dropFirst(2)
    guard path.lowercased().hasPrefix("localhost/") else { return path }
    return path.dropFirst("localhost".count)
  }

  private static func unescaped(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), value != 0
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The path from the root, without `.` and `..`; links stay, because the name of the link is the name of the thumbnail.
  private static func absolute(_ path: String) -> String {
    var whole = path
    if !path.hasPrefix("/"), let folder = getcwd(nil, 0) {
      whole = String(cString: folder) + "/" + path
      free(folder)
    }
    var parts: [Substring] = []
    for part in whole.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
