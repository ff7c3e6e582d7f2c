import EaselCore

/// The settings of connections to Redis.
public struct RedisConfiguration: Sendable {
  /// The servers, and how the one for a key is found among them.
  public enum Servers: Hashable, Sendable {
    /// One server.
    case one(RedisAddress)
    /// The server that these sentinels call the master of this name.
    case master(name: String, sentinels: [RedisAddress])
    /// The servers of a cluster; one that answers is enough to find the others.
    case cluster([RedisAddress])
  }

  /// TLS to all servers.
  public struct TLS: Hashable, Sendable {
    /// A file with the certificates of authorities in place of those of the system.
    public var authorities: String?
    /// The name in the servers' certificate, if it is not the host.
    public var serverName: String?

    /// Creates settings that trust the system's authorities.
    public init(authorities: String? = nil, serverName: String? = nil) {
      self.authorities = authorities
      self.serverName = serverName
    }
  }

  /// The servers.
  public var servers: Servers
  /// The user; nil for the default one.
  public var user: String?
  /// The password.
  public var password: String?
  /// The number of the database; a cluster has 0 only.
  public var database = 0
  /// TLS; nil for plain connections.
  public var tls: TLS?
  /// The longest time to connect.
  public var connectTime = Duration.milliseconds(250)
  /// The time after which a connection on which no answer comes is given up.
  public var answerTime = Duration.seconds(1)

  /// Creates the settings of plain connections without a password.
  public init(_ servers: Servers) { self.servers = servers }
}
