/// The proxy that a loader connects through.
public enum ProxyChoice: Hashable, Sendable {
  /// The proxy named by `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`; none when an ``AddressPolicy`` is set.
  case environment
  /// No proxy, whatever the environment says.
  case direct
  /// The proxy at this URL, which may contain a name and a password.
  case url(String)
}
