import EaselCore

/// The settings of connections to Redis.
public struct RedisConfiguration: Sendable {
  /// The servers, and the way in which the server for a key is found.
  public enum Servers: Hashable, Sendable {
    /// One server.
    case one(RedisAddress)
    /// The server that these sentinels name as the master of this name.
    case master(name: String, sentinels: [RedisAddress])
    /// The servers of a cluster; one that answers is enough to find the others.
    case cluster([RedisAddress])
  }

  /// The settings of TLS to all servers.
  public struct TLS: Hashable, Sendable {
    /// A file with the certificates of authorities, which replace those of the system.
    public var authorities: String?
    /// The name in the servers' certificate, if it differs from the host.
    public var serverName: String?

    /// Creates settings that trust the system's authorities.
    public init(authorities: String? = nil, serverName: String? = nil) {
      self.authorities = authorities
      self.serverName = serverName
    }
  }

  /// The servers.
  public var servers: Servers
  /// The user; nil for the default user.
  public var user: String?
  /// The password.
  public var password: String?
  /// The number of the database; a cluster has only 0.
  public var database = 0
  /// The settings of TLS; nil for plain connections.
  public var tls: TLS?
  /// The longest time to connect.
  public var connectTime = Duration.milliseconds(250)
  /// The time after which a connection without an answer is closed.
  public var answerTime = Duration.seconds(1)

  /// Creates the settings of plain connections without a password.
  public init(_ servers: Servers) { self.servers = servers }
}
