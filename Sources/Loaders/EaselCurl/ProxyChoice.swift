/// Which proxy stands between the loader and the servers.
public enum ProxyChoice: Hashable, Sendable {
  /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say, unless an ``AddressPolicy`` is to be kept.
  case environment
  /// None, whatever the environment says.
  case direct
  /// The one at this URL, which may contain a name and a password.
  case url(String)
}
