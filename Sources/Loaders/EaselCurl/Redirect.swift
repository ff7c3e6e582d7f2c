import FoundationEssentials

/// A redirect that a server asks for.
public struct Redirect: Hashable, Sendable {
  /// The URL that redirects.
  public let source: URL
  /// The URL that it leads to.
  public let target: URL
  /// The status of the redirecting response.
  public let status: Int
  /// The number of redirects of this load so far, this one included.
  public let count: Int
  /// True when this or an earlier redirect led to another scheme, host or port; it gets no credentials and no cookies.
  public let isForeign: Bool
}
