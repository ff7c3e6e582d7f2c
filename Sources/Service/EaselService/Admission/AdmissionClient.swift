import Glibc

/// The client that work is done for, as far as the places must be shared evenly.
///
/// It is a number made of a name, so that long names take no memory. Clients whose numbers happen to be equal share as
/// one client does.
package struct AdmissionClient: Hashable, Sendable {
  private let number: Int

  /// The client of work for which nobody waits, or whose client is not known.
  package static let nobody = AdmissionClient(named: "")

  /// The client of work that anybody else's goes before, such as filling a cache.
  package static let background = AdmissionClient(named: "\0background")

  /// Creates the client with a name.
  package init(named name: String) { number = name.hashValue }

  /// Creates the client at an address.
  ///
  /// Only the first half of an IPv6 address counts, because each household has one.
  package init(at address: String?) {
    guard let address else {
      self = .nobody
      return
    }
    self.init(named: Self.network(of: address) ?? address)
  }

  /// The first half of an IPv6 address; nil for other addresses.
  private static func network(of address: String) -> String? {
    var parsed = in6_addr()
    guard address.utf8.contains(UInt8(ascii: ":")), inet_pton(AF_INET6, address, &parsed) == 1 else { return nil }
    let bytes = withUnsafeBytes(of: &parsed) { Array($0) }
    // An IPv4 address in the form of IPv6 begins like all others of its kind.
    guard bytes.prefix(8).contains(where: { $0 != 0 }) else { return nil }
    return "\(bytes.prefix(8))"
  }
}
