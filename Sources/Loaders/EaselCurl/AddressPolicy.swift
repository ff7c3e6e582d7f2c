import CEaselCurl

/// Decides which addresses a loader may connect to.
///
/// The policy is asked about each address just before the connection is made. An unusual spelling of an address, a host
/// name, a redirect, or a name whose address changes therefore cannot bypass it. If you have configured a proxy, the
/// policy sees the address of the proxy, because the proxy resolves names.
///
/// ```swift
/// var network = CurlLoader.Configuration()
/// network.addressPolicy = .custom { address, port in
///   port == 443 && AddressPolicy.denyPrivate.allows(address, port: port)
/// }
/// ```
public struct AddressPolicy: Sendable {
  private let rule: @Sendable (AddressPolicy.IPAddress, Int) -> Bool
  /// The name of the kind of policy; nil when all addresses are allowed.
  let name: String?

  var allowsEverything: Bool { name == nil }

  private init(name: String?, _ rule: @escaping @Sendable (AddressPolicy.IPAddress, Int) -> Bool) {
    self.name = name
    self.rule = rule
  }

  /// Allows every address.
  public static let allowAll = AddressPolicy(name: nil) { _, _ in true }

  /// Allows only addresses of the public internet, not of this machine, its network or special uses.
  public static let denyPrivate = AddressPolicy(name: "public") { address, _ in address.isPublic }

  /// Returns a policy that calls `rule` with the address and the port.
  ///
  /// `rule` runs on the loader's only transfer thread, so it must be quick and must not block.
  public static func custom(_ rule: @escaping @Sendable (AddressPolicy.IPAddress, Int) -> Bool) -> AddressPolicy {
    AddressPolicy(name: "custom", rule)
  }

  /// True when the loader may connect to this address.
  public func allows(_ address: AddressPolicy.IPAddress, port: Int) -> Bool { rule(address, port) }
}

extension AddressPolicy {
  /// An IPv4 or IPv6 address.
  public struct IPAddress: Hashable, Sendable {
    /// The 4 or 16 bytes of the address.
    public let bytes: [UInt8]

    /// Creates an address from its bytes; nil unless there are 4 or 16.
    public init?(bytes: [UInt8]) {
      guard bytes.count == 4 || bytes.count == 16 else { return nil }
      self.bytes = bytes
    }

    /// Reads an address such as `192.0.2.1` or `2001:db8::1`.
    public init?(_ text: String) {
      var room = [UInt8](repeating: 0, count: 16)
      let count = Int(easel_address_read(text, &room))
      self.init(bytes: Array(room.prefix(count)))
    }

    /// True for an IPv4 address.
    public var isIPv4: Bool { bytes.count == 4 }

    /// The IPv4 address that an IPv6 address stands for: mapped, compatible, translated (NAT64), 6to4, or Teredo.
    public var embeddedIPv4: IPAddress? {
      guard bytes.count == 16 else { return nil }
      let zeros = bytes.prefix { $0 == 0 }.count
      let tail = IPAddress(bytes: Array(bytes[12...]))
      if zeros >= 12 { return tail }
      if zeros == 10, bytes[10] == 0xFF, bytes[11] == 0xFF { return tail }
      // The form ::ffff:0:a.b.c.d is an older kind of translation.
      if zeros == 8, bytes[8] == 0xFF, bytes[9] == 0xFF, bytes[10] == 0, bytes[11] == 0 { return tail }
      // Addresses in 64:ff9b:1::/48 are also translated, but only the network that uses them knows where the IPv4
      // address is.
      if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B]), bytes[4..<12].allSatisfy({ $0 == 0 }) { return tail }
      if bytes.starts(with: [0x20, 0x02]) { return IPAddress(bytes: Array(bytes[2..<6])) }
      if bytes.starts(with: [0x20, 0x01, 0x00, 0x00]) { return IPAddress(bytes: bytes[12...].map { ~$0 }) }
      return nil
    }

    /// True when the address leads to this machine.
    public var isLoopback: Bool {
      if isIPv4 { return bytes[0] == 127 }
      if bytes.dropLast().allSatisfy({ $0 == 0 }) { return bytes[15] == 1 }
      return embeddedIPv4?.isLoopback ?? false
    }

    /// True when the address belongs to the public internet, and not to this machine, its network or a special use.
    public var isPublic: Bool {
      if isIPv4 { return !Self.specialIPv4.contains { $0.contains(bytes) } }
      if let embedded = embeddedIPv4 { return embedded.isPublic }
      return Self.globalIPv6.contains(bytes) && !Self.specialIPv6.contains { $0.contains(bytes) }
    }

    private struct Block: Sendable {
      let prefix: [UInt8]
      let bits: Int

      init(_ text: String, _ bits: Int) {
        prefix = IPAddress(text)!.bytes
        self.bits = bits
      }

      func contains(_ bytes: [UInt8]) -> Bool {
        let whole = bits / 8
        guard bytes.prefix(whole) == prefix.prefix(whole) else { return false }
        let rest = bits % 8
        return rest == 0 || (bytes[whole] ^ prefix[whole]) >> UInt8(8 - rest) == 0
      }
    }

    // From the IANA registries of special-purpose addresses: this network, private, shared (CGNAT), loopback,
    // link-local, protocol assignments, documentation, 6to4 relays, benchmarks, multicast, reserved.
    private static let specialIPv4 = [
      Block("0.0.0.0", 8), Block("10.0.0.0", 8), Block("100.64.0.0", 10), Block("127.0.0.0", 8),
      Block("169.254.0.0", 16), Block("172.16.0.0", 12), Block("192.0.0.0", 24), Block("192.0.2.0", 24),
      Block("192.88.99.0", 24), Block("192.168.0.0", 16), Block("198.18.0.0", 15), Block("198.51.100.0", 24),
      Block("203.0.113.0", 24), Block("224.0.0.0", 4), Block("240.0.0.0", 4),
    ]
    // Only this block is assigned; unique local, link-local, site-local and multicast addresses are outside it.
    private static let globalIPv6 = Block("2000::", 3)
    private static let specialIPv6 = [Block("2001::", 23), Block("2001:db8::", 32), Block("3fff::", 20)]
  }
}

extension AddressPolicy.IPAddress: CustomStringConvertible {
  /// The usual spelling for IPv4, eight groups without abbreviation for IPv6.
  public var description: String {
    if isIPv4 { return bytes.map(String.init).joined(separator: ".") }
    return stride(from: 0, to: 16, by: 2)
      .map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
      .joined(separator: ":")
  }
}
