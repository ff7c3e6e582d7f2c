import EaselCore
import EaselSupport
import EaselWire
import FoundationEssentials

extension RedisConfiguration {
  /// The forms of the URL of servers, for messages.
  static let forms = """
    redis://[user:password@]host[:port][/database], rediss:// with TLS, redis+unix:///path, \
    redis+sentinel://host,host/master[/database] or redis+cluster://host,host
    """

  /// Reads the settings from a URL, and returns the parameters that are not settings of connections.
  ///
  /// The forms are `redis://[user:password@]host[:port][/database]`, `rediss://` for TLS, `redis+unix:///path`,
  /// `redis+sentinel://host,host/master[/database]` and `redis+cluster://host,host`. The last two can also begin with
  /// `rediss`. The parameters are `db`, `ca` (a file of certificates) and `servername`.
  static func read(_ text: String) throws -> (configuration: RedisConfiguration, rest: [String: String]) {
    let shown = text.prefix { $0 != "?" }.split(separator: "@").last.map(String.init) ?? ""
    func refuse(_ reason: String) -> ImageError { ImageError(.invalidURL, reason, subject: shown) }
    guard let end = text.firstRange(of: "://") else { throw refuse("Redis is written \(forms).") }
    let scheme = text[..<end.lowerBound].lowercased().split(separator: "+", maxSplits: 1).map(String.init)
    guard let first = scheme.first, ["redis", "rediss"].contains(first),
      scheme.count == 1 || ["unix", "sentinel", "cluster"].contains(scheme[1])
    else { throw refuse("Redis is written \(forms).") }
    let kind = scheme.count == 1 ? "one" : scheme[1]

    let whole = text[end.upperBound...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let authorityEnd = whole[0].firstIndex(of: "/") ?? whole[0].endIndex
    var hosts = whole[0][..<authorityEnd]
    var path = try whole[0][authorityEnd...].split(separator: "/").map { part in
      guard let name = plain(part) else { throw refuse("The path has an escape that is none.") }
      return name
    }

    var (user, password) = (String?.none, String?.none)
    if let at = hosts.lastIndex(of: "@") {
      let parts = hosts[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let named = try parts.map { part in
        guard let name = plain(part) else {
          throw refuse("User or password has an escape that is none; a percent sign is written %25.")
        }
        return name
      }
      user = named[0].isEmpty ? nil : named[0]
      password = named.count > 1 ? named[1] : nil
      hosts = hosts[hosts.index(after: at)...]
    }

    var parameters: [String: String] = [:]
    for parameter in whole.count > 1 ? whole[1].split(separator: "&") : [] {
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let value = plain(parts[1]) else {
        throw refuse("A parameter is written name=value.")
      }
      parameters[String(parts[0])] = value
    }

    let servers: Servers
    if kind == "unix" {
      guard hosts.isEmpty, !path.isEmpty else { throw refuse("A Unix socket is written redis+unix:///path.") }
      servers = .one(.unix(path: "/" + path.joined(separator: "/")))
      path = []
    } else {
      let addresses = try hosts.split(separator: ",").map { host in
        guard let address = RedisAddress(String(host), port: kind == "sentinel" ? 26379 : 6379) else {
          throw refuse("\(host) is no host and port.")
        }
        return address
      }
      guard let firstAddress = addresses.first else { throw refuse("The host is missing: \(forms).") }
      switch kind {
      case "sentinel":
        guard !path.isEmpty else {
          throw refuse("The name of the master is missing: redis+sentinel://host,host/master[/database].")
        }
        servers = .master(name: path.removeFirst(), sentinels: addresses)
      case "cluster": servers = .cluster(addresses)
      default:
        guard addresses.count == 1 else {
          throw refuse("Several hosts are a cluster, redis+cluster://, or sentinels, redis+sentinel://.")
        }
        servers = .one(firstAddress)
      }
    }

    var configuration = RedisConfiguration(servers)
    (configuration.user, configuration.password) = (user, password)
    if user != nil, password == nil { throw refuse("A user has a password: redis://user:password@host.") }
    if let number = path.first ?? parameters["db"] {
      guard path.count <= 1, let database = Int(number), database >= 0 else {
        throw refuse("The database is a number, and the last part of the path.")
      }
      guard kind != "cluster" || database == 0 else { throw refuse("A cluster has the database 0 only.") }
      configuration.database = database
    }
    if first == "rediss" {
      configuration.tls = TLS(authorities: parameters["ca"], serverName: parameters["servername"])
    } else if parameters["ca"] != nil || parameters["servername"] != nil {
      throw refuse("ca and servername belong to TLS, which is written rediss://.")
    }
    for name in ["db", "ca", "servername"] { parameters[name] = nil }
    return (configuration, parameters)
  }
}

/// Replaces the escapes in a text; returns nil if an escape is malformed, or if the bytes are not text.
private func plain(_ text: Substring) -> String? {
  PercentEscapes.bytes(of: text).flatMap { String(validating: $0, as: UTF8.self) }
}

extension RedisAddress {
  /// Reads `host`, `host:port`, `[address]` or `[address]:port`.
  init?(_ text: String, port standard: Int) {
    guard case .tcp(let host, let port)? = WireAddress(text, port: standard) else { return nil }
    self = .tcp(host: host, port: port)
  }
}
