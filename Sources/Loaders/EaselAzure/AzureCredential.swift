import FoundationEssentials

/// The right to read the blobs of a storage account.
public struct AzureCredential: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case anonymous
    case key([UInt8])
    case token(String)
  }

  let kind: Kind

  private init(_ kind: Kind) { self.kind = kind }

  /// No credential, which public containers allow.
  public static let anonymous = AzureCredential(.anonymous)

  /// A key of the account, which signs each request (SharedKey); nil if the text is not base64.
  public static func key(_ base64: String) -> AzureCredential? {
    guard let bytes = Data(base64Encoded: base64), !bytes.isEmpty else { return nil }
    return AzureCredential(.key(Array(bytes)))
  }

  /// A shared access signature, as the portal of Azure gives it: the query of a URL; nil if the text is none.
  public static func token(_ query: String) -> AzureCredential? {
    let query = query.hasPrefix("?") ? String(query.dropFirst()) : query
    let isQuery = query.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }
    guard isQuery, query.split(separator: "&").contains(where: { $0.hasPrefix("sig=") }) else { return nil }
    return AzureCredential(.token(query))
  }

  var isAnonymous: Bool { kind == .anonymous }
}

extension AzureCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind alone, so that the secret does not get into logs.
  public var description: String {
    switch kind {
    case .anonymous: "anonymous"
    case .key: "key (not shown)"
    case .token: "token (not shown)"
    }
  }

  /// The kind alone.
  public var debugDescription: String { description }

  /// Nothing, because the content is a secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
