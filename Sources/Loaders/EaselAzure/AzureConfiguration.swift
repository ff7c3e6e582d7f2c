import EaselCurl
import EaselSupport
import FoundationEssentials

/// The settings of a storage account of Azure: its name, address, credential and connections.
public struct AzureConfiguration: Sendable {
  /// The name of the storage account.
  public var account: String
  /// The credential of the account.
  public var credential: AzureCredential
  /// The URL of the server, without a container; nil for Microsoft's server of the account.
  public var endpoint: URL?
  /// The most transfers that run at once.
  public var maximumTransfers = 32
  /// A file with the certificate authorities to trust, which replace those of the system.
  public var certificateAuthorities: String?
  /// The addresses that may be connected to.
  public var addressPolicy = AddressPolicy.allowAll

  /// Takes the account, its credential and the server.
  public init(account: String, credential: AzureCredential, endpoint: URL? = nil) {
    (self.account, self.credential, self.endpoint) = (account, credential, endpoint)
  }

  /// The part of cache keys that stands for the account, which decides the bytes.
  ///
  /// The credential decides only who may have them, and so it can be changed without a new load of everything.
  var identity: String { "azure|\(endpoint?.absoluteString ?? "windows.net")|\(account)|\(credential.isAnonymous)" }

  /// The URL before the name of a container, with a slash at its end; nil if the account or the server is no name.
  var base: String? {
    guard Self.isAccount(account) else { return nil }
    guard let endpoint else { return "https://\(account).blob.core.windows.net/" }
    guard ["http", "https"].contains(endpoint.scheme?.lowercased()), endpoint.host != nil, endpoint.query == nil else {
      return nil
    }
    let text = endpoint.absoluteString
    return text.hasSuffix("/") ? text : text + "/"
  }

  /// True for a name that can be part of a host.
  static func isAccount(_ name: String) -> Bool {
    (1...63).contains(name.utf8.count)
      && name.utf8.allSatisfy { PercentEscapes.isUnreserved($0) && !"._~".utf8.contains($0) }
  }
}
