/// Decides which addresses a loader may connect to.
///
/// The policy is asked about each address right before the connection is made, so it cannot be bypassed by an unusual
/// spelling of an address, a host name, a redirect, or a name whose address changes. Behind a proxy that you
/// configured, the policy sees the address of the proxy, because the proxy resolves names.
public struct AddressPolicy: Sendable {
  private let rule: @Sendable (IPAddress, Int) -> Bool
  /// The name of the kind of policy; nil when everything is allowed.
  let name: String?

  var allowsEverything: Bool { name == nil }

  private init(name: String?, _ rule: @escaping @Sendable (IPAddress, Int) -> Bool) {
    self.name = name
    self.rule = rule
  }

  /// Allows every address.
  public static let allowAll = AddressPolicy(name: nil) { _, _ in true }

  /// Allows only addresses of the public internet: not this machine, its network, or addresses for special use.
  public static let denyPrivate = AddressPolicy(name: "public") { address, _ in address.isPublic }

  /// A policy that calls `rule` with the address and the port.
  ///
  /// `rule` runs on the loader's only transfer thread. It must be quick and must not block.
  public static func custom(_ rule: @escaping @Sendable (IPAddress, Int) -> Bool) -> AddressPolicy {
    AddressPolicy(name: "custom", rule)
  }

  /// True when the loader may connect to this address.
  public func allows(_ address: IPAddress, port: Int) -> Bool { rule(address, port) }
}
