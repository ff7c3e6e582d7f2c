import CEaselWire
import EaselCore
import Glibc

/// The address of an engine.
package enum WireAddress: Hashable, Sendable, CustomStringConvertible {
  case tcp(host: String, port: Int)
  case unix(path: String)

  package var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): path
    }
  }
}

extension WireAddress {
  /// Reads `host`, `host:port`, `[address]` or `[address]:port`; nil for any other text.
  package init?(_ text: some StringProtocol, port standard: Int) {
    var host = Substring(text)
    var port = Substring("\(standard)")
    if host.first == "[" {
      let parts = host.dropFirst().split(separator: "]", omittingEmptySubsequences: false)
      guard parts.count == 2, parts[1].isEmpty || parts[1].first == ":" else { return nil }
      host = parts[0]
      if !parts[1].isEmpty { port = parts[1].dropFirst() }
    } else if let colon = host.firstIndex(of: ":") {
      (host, port) = (host[..<colon], host[host.index(after: colon)...])
    }
    // Only digits count, because an integer could also be read from text with a sign.
    let isNumber = port.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let isPlain = host.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"/@[]".utf8.contains($0) }
    guard !host.isEmpty, isPlain, isNumber, let number = Int(port), (1...65535).contains(number) else { return nil }
    self = .tcp(host: String(host), port: number)
  }
}

/// The settings of TLS that all connections to an engine share.
package final class WireTLS: @unchecked Sendable {
  // Unchecked, because OpenSSL guards a context with its own locks, and the pointer never changes.
  let context: OpaquePointer
  private let name: String?

  /// Creates settings that verify servers against the authorities in a file, or against those of the system.
  ///
  /// `name` is the name in the server's certificate, if it differs from the host.
  package init(authorities: String? = nil, name: String? = nil) throws(WireError) {
    var message = [CChar](repeating: 0, count: Int(EASEL_WIRE_MESSAGE))
    guard let context = easel_wire_tls_open(authorities, &message) else {
      throw .init(
        .unreachable, "\(authorities.map { "\($0) holds no certificates" } ?? "TLS cannot be used"): \(text(message)).")
    }
    self.context = context
    self.name = name
  }

  deinit { easel_wire_tls_close(context) }

  func session(_ descriptor: CInt, host: String, within limit: Duration) throws(WireError) -> OpaquePointer {
    var message = [CChar](repeating: 0, count: Int(EASEL_WIRE_MESSAGE))
    let session = easel_wire_session_open(context, descriptor, name ?? host, limit.milliseconds, &message)
    guard let session else { throw .init(.unreachable, "No TLS with \(host): \(text(message)).") }
    return session
  }
}

/// A connected socket, with TLS if it is wanted.
struct WireSocket: @unchecked Sendable {
  // Unchecked because of the pointer, which only the connection that owns the socket uses.
  let descriptor: CInt
  let session: OpaquePointer?

  /// Connects; blocks for at most about twice this long, and longer while a name is looked up.
  init(_ address: WireAddress, _ tls: WireTLS?, within limit: Duration) throws(WireError) {
    var message = [CChar](repeating: 0, count: Int(EASEL_WIRE_MESSAGE))
    let host: String
    switch address {
    case .tcp(let name, let port):
      host = name
      descriptor = easel_wire_connect_tcp(name, "\(port)", limit.milliseconds, &message)
    case .unix(let path):
      host = "localhost"
      descriptor = easel_wire_connect_unix(path, limit.milliseconds, &message)
    }
    guard descriptor >= 0 else {
      throw .init(.unreachable, "No connection to \(address): \(text(message)).")
    }
    do {
      session = try tls?.session(descriptor, host: host, within: limit)
    } catch {
      close(descriptor)
      throw error
    }
  }

  func shutDown() { shutdown(descriptor, CInt(SHUT_RDWR)) }

  func end() {
    easel_wire_session_close(session)
    close(descriptor)
  }
}

private func text(_ message: [CChar]) -> String {
  String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

extension Duration {
  /// The duration in milliseconds, at least one and at most an hour.
  fileprivate var milliseconds: CInt {
    let (seconds, attoseconds) = components
    return CInt(clamping: max(1, min(seconds, 3600) * 1000 + attoseconds / 1_000_000_000_000_000))
  }
}
