/// Decides which addresses may be connected to, asked with each address that a name was resolved to.
///
/// It is asked for whatever is connected to at last, so that neither the spelling of an address, nor a name, nor a
/// redirect, nor a name whose address changes gets around it. Behind a proxy of your own choice it is asked about the
/// proxy, which does the resolving.
public struct AddressPolicy: Sendable {
  private let rule: @Sendable (IPAddress, Int) -> Bool
  /// The name of its kind, nil where everything is allowed.
  let name: String?

  var allowsEverything: Bool { name == nil }

  private init(name: String?, _ rule: @escaping @Sendable (IPAddress, Int) -> Bool) {
    self.name = name
    self.rule = rule
  }

  /// Every address may be connected to.
  public static let allowAll = AddressPolicy(name: nil) { _, _ in true }

  /// Only addresses of the public internet: neither this machine, nor its network, nor those for special use.
  public static let denyPrivate = AddressPolicy(name: "public") { address, _ in address.isPublic }

  /// Calls `rule` with the address and the port.
  ///
  /// It runs on the thread of all transfers, which waits meanwhile: it must be quick and never block.
  public static func custom(_ rule: @escaping @Sendable (IPAddress, Int) -> Bool) -> AddressPolicy {
    AddressPolicy(name: "custom", rule)
  }

  /// Whether this address may be connected to.
  public func allows(_ address: IPAddress, port: Int) -> Bool { rule(address, port) }
}
