import CEaselRedis
import EaselCore
import EaselWire

/// Sends commands to the server that has their keys, even after the keys have moved.
final class RedisClient: Sendable {
  private static let mostAttempts = 6

  private let topology: any RedisTopology
  /// True if all keys are on the same server, so that one command may use any of them.
  let isOneServer: Bool

  /// Creates a client; `largestReply` is the most bytes that the strings of one reply may have together.
  init(_ configuration: RedisConfiguration, largestReply: Int) throws {
    let tls: WireTLS? =
      if let wanted = configuration.tls {
        try WireTLS(authorities: wanted.authorities, name: wanted.serverName)
      } else {
        nil
      }
    let makeLink: @Sendable (RedisAddress) -> RedisConnector = { address in
      RedisConnector(address: address, configuration: configuration, tls: tls, largestReply: largestReply)
    }
    if case .cluster = configuration.servers { isOneServer = false } else { isOneServer = true }
    topology =
      switch configuration.servers {
      case .one(let address): SingleServer(address, makeLink)
      case .master(let name, let sentinels): SentinelServers(name, sentinels, makeLink)
      case .cluster(let seeds): ClusterServers(seeds, makeLink)
      }
  }

  deinit { topology.end() }

  /// Sends a command to the server that has `key`, and waits for its reply; throws for an error reply.
  func send(_ command: RedisCommand, for key: String, isLarge: Bool = false) async throws -> RedisReply {
    var target: (node: RedisNode, isAsked: Bool)?
    var attempt = 0
    while true {
      attempt += 1
      let node: RedisNode
      if let target { node = target.node } else { node = try await topology.node(for: key) }
      let session = node.session(isLarge: isLarge)
      let reply: RedisReply
      do {
        reply =
          if target?.isAsked == true {
            try await session.send(RedisCommand("ASKING"), then: command)
          } else {
            try await session.send(command)
          }
      } catch let error as WireError {
        if error.kind != .full { topology.distrust(node) }
        // The connection may have ended since its last use. After other failures nothing is repeated, because callers
        // wait.
        guard error.kind == .lost, attempt == 1, !Task.isCancelled else { throw error }
        target = nil
        continue
      }
      guard case .error(let complaint) = reply else { return reply }
      let failure = RedisFailure(complaint, by: node.address.description)
      guard attempt < Self.mostAttempts, !Task.isCancelled else { throw failure }
      switch failure.word {
      case "MOVED", "ASK":
        guard let address = Self.address(in: complaint, toldBy: node.address) else { throw failure }
        if failure.word == "MOVED" { topology.note(key, isAt: address) }
        target = (topology.node(at: address), failure.word == "ASK")
      case "READONLY" where attempt == 1:
        topology.distrust(node)
        target = nil
      default:
        if ["READONLY", "LOADING", "MASTERDOWN", "CLUSTERDOWN"].contains(failure.word) { topology.distrust(node) }
        throw failure
      }
    }
  }

  /// The slot of a key in a cluster.
  ///
  /// If the key has a part in braces, that part decides.
  static func slot(of key: String) -> UInt16 { easel_redis_slot(Array(key.utf8), key.utf8.count) }

  /// Connects to any of the servers, to receive the messages that it pushes.
  func connect(
    pushes: @escaping @Sendable (RedisReply) -> Void, closing: @escaping @Sendable (WireError) -> Void
  ) async throws -> RedisConnection {
    let node = try await topology.anyNode()
    do {
      return try await node.connector.connect(pushes: pushes, closing: closing)
    } catch {
      if error is WireError { topology.distrust(node) }
      throw error
    }
  }

  /// Sends a command after earlier ones for the same key, without waiting for its reply.
  func post(_ command: RedisCommand, for key: String) async {
    try? await topology.node(for: key).session(isLarge: false).post(command)
  }

  /// The address in a text such as `MOVED 3999 127.0.0.1:6381`; without a host, it is the host of the server that sent
  /// it.
  static func address(in complaint: String, toldBy source: RedisAddress) -> RedisAddress? {
    let parts = complaint.split(separator: " ")
    guard parts.count >= 3, let colon = parts[2].lastIndex(of: ":"),
      let port = Int(parts[2][parts[2].index(after: colon)...]),
      (1...65535).contains(port)
    else { return nil }
    let host = String(parts[2][..<colon])
    if !host.isEmpty { return .tcp(host: host, port: port) }
    if case .tcp(let name, _) = source { return .tcp(host: name, port: port) }
    return nil
  }
}
