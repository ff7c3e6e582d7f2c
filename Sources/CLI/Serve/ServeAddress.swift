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
        guard let address = AddressPolicy.IPAddress(String(host)), !address.isIPv4 else { return nil }
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
    case .tcp(let host, _): host.lowercased() == "localhost" || AddressPolicy.IPAddress(host)?.isLoopback == true
    case .unix: true
    case .systemd: false
    }
  }
}
