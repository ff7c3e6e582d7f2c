import Easel
import EaselService
import EaselSupport

extension StringProtocol {
  /// The text without blanks at its ends.
  var trimmed: String {
    var rest = self[...]
    while let first = rest.first, first == " " || first == "\t" || first == "\r" { rest = rest.dropFirst() }
    while let last = rest.last, last == " " || last == "\t" || last == "\r" { rest = rest.dropLast() }
    return String(rest)
  }
}

enum ServeReading {
  /// Reads two digits for each byte.
  static func bytes(hexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.map { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
      default: nil
      }
    }
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    let values = digits.compactMap { $0 }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  /// Reads a path that begins URLs, without a slash at its end.
  static func path(_ text: String) -> String? {
    let path = text.hasSuffix("/") ? String(text.dropLast()) : text
    let isPath = path.hasPrefix("/") && !path.contains("//") && path.utf8.count <= 200
    return isPath && path.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"?#%\\".utf8.contains($0) } ? path : nil
  }

  /// Reads whole numbers within a range, between commas.
  static func numbers(_ text: String, _ range: ClosedRange<Int>) -> Set<Int>? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
    let numbers = Set(parts.compactMap { part in Int(part).flatMap { range.contains($0) ? $0 : nil } })
    return numbers.count == parts.count ? numbers : nil
  }

  /// Reads the name of a header field.
  static func fieldName(_ text: String) -> String? {
    let isName = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        true
      default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    }
    return isName && (1...100).contains(text.utf8.count) ? text : nil
  }

  /// Reads `webp:79,avif:60`.
  static func qualities(_ text: String) -> [ImageFormat: Double]? {
    var qualities: [ImageFormat: Double] = [:]
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: ":", omittingEmptySubsequences: false).map(\.trimmed)
      guard words.count == 2, let format = FormatNames.writtenFormat(named: words[0]), let quality = quality(words[1]),
        qualities.updateValue(quality, forKey: format) == nil
      else { return nil }
    }
    return qualities
  }

  /// Reads a quality on either scale and gives it from 0 to 1.
  static func quality(_ text: String) -> Double? {
    WantedQuality.number(text)
  }

  /// Reads names of formats between commas; `none` is an empty list.
  static func formats(_ text: String) -> [ImageFormat]? {
    if text == "none" { return [] }
    var formats: [ImageFormat] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let format = FormatNames.writtenFormat(named: part.trimmed), !formats.contains(format) else { return nil }
      formats.append(format)
    }
    return formats
  }

  /// Reads names of options of URLs between commas.
  static func names(_ text: String) -> [String]? {
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
    let isValid = names.allSatisfy { !$0.isEmpty && $0.utf8.count <= 64 && $0.utf8.allSatisfy(ServePreset.isInName) }
    return isValid && Set(names).count == names.count ? names : nil
  }

  static func truth(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "on", "1": true
    case "false", "no", "off", "0": false
    default: nil
    }
  }
}
