import Easel
import EaselService
import EaselSupport

/// An address on which the server listens.
enum ServeAddress: Hashable, Sendable {
  /// An empty host means all addresses of the machine.
  case tcp(host: String, port: Int)
  case unix(path: String)
  /// The sockets that systemd passes to the program.
  case systemd

  /// Reads `HOST:PORT`, `:PORT`, `[IPV6]:PORT`, `unix:PATH`, a path that begins with a slash or a dot, or `systemd`.
  init?(_ text: String) {
    if text == "systemd" {
      self = .systemd
    } else if ["unix:", "/", "./", "../"].contains(where: text.hasPrefix) {
      let path = text.hasPrefix("unix:") ? String(text.dropFirst(5)) : text
      // The system's limit on the path of a socket.
      guard !path.isEmpty, path.utf8.count <= 107, !path.utf8.contains(0) else { return nil }
      self = .unix(path: path)
    } else {
      guard let colon = text.lastIndex(of: ":") else { return nil }
      var host = text[..<colon]
      let digits = text[text.index(after: colon)...]
      guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(digits),
        (0...65_535).contains(port)
      else { return nil }
      if host.hasPrefix("["), host.hasSuffix("]") {
        host = host.dropFirst().dropLast()
        guard let address = IPAddress(String(host)), !address.isIPv4 else { return nil }
      } else {
        // Without brackets, nobody can tell the port of an IPv6 address.
        guard host.utf8.allSatisfy(Self.isInName), host.utf8.count <= 253 else { return nil }
      }
      self = .tcp(host: String(host), port: port)
    }
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// True if only programs on this machine reach the address.
  var isLocal: Bool {
    switch self {
    case .tcp(let host, _): host.lowercased() == "localhost" || IPAddress(host)?.isLoopback == true
    case .unix: true
    case .systemd: false
    }
  }
}

/// A range of addresses, such as `10.0.0.0/8`.
struct AddressRange: Hashable, Sendable {
  private let prefix: [UInt8]
  private let bits: Int

  /// Reads an address, or an address and the number of bits that count.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = IPAddress(String(parts[0])) else { return nil }
    prefix = address.bytes
    guard parts.count == 2 else {
      bits = prefix.count * 8
      return
    }
    guard parts[1].utf8.count <= 3, parts[1].utf8.allSatisfy({ (48...57).contains($0) }), let bits = Int(parts[1]),
      bits <= prefix.count * 8
    else { return nil }
    self.bits = bits
  }

  /// True if the address is in the range; an IPv4 address that is mapped to IPv6 counts as itself.
  func contains(_ address: IPAddress) -> Bool {
    var bytes = address.bytes
    if bytes.count == 16, prefix.count == 4, bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF,
      bytes[11] == 0xFF
    {
      bytes = Array(bytes[12...])
    }
    guard bytes.count == prefix.count else { return false }
    let whole = bits / 8
    guard bytes.prefix(whole) == prefix.prefix(whole) else { return false }
    let rest = bits % 8
    return rest == 0 || (bytes[whole] ^ prefix[whole]) >> UInt8(8 - rest) == 0
  }
}

/// A pair of secrets that signs URLs; it never shows its bytes.
struct SigningKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  let key: [UInt8]
  let salt: [UInt8]

  var description: String { "(not shown)" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// A text that nobody may see.
struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  let text: String

  var description: String { "(not shown)" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// Options of URLs under a name.
struct ServePreset: Hashable, Sendable {
  let name: String
  let options: String

  /// Reads `NAME=OPTIONS`; the options are read by the grammar of URLs.
  init?(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let name = parts[0].trimmed
    let options = parts[1].trimmed
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isInName), !options.isEmpty else { return nil }
    self.name = name
    self.options = options
  }

  static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}

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
    CommonOptions.quality.read(text).map { $0 > 1 ? $0 / 100 : $0 }
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
