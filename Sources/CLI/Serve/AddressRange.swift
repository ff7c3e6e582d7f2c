import Easel
import EaselService
import EaselSupport

/// A range of addresses, such as `10.0.0.0/8`.
struct AddressRange: Hashable, Sendable {
  private let prefix: [UInt8]
  private let bits: Int

  /// Reads an address, or an address and the number of bits that count.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = AddressPolicy.IPAddress(String(parts[0])) else { return nil }
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
  func contains(_ address: AddressPolicy.IPAddress) -> Bool {
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
