import FoundationEssentials

/// A redirect that a server asks for.
public struct Redirect: Hashable, Sendable {
  /// Who asks.
  public let source: URL
  /// Where it leads.
  public let target: URL
  /// The status of the response that asks.
  public let status: Int
  /// How many redirects this one makes.
  public let count: Int
  /// Whether it leads to another scheme, host or port, where credentials and cookies are not sent.
  public let isForeign: Bool
}
