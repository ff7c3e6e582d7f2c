import Foundation
import Glibc

/// Three masters on loopback that share all slots.
public final class RedisCluster: Sendable {
  /// The servers.
  public let servers: [RedisServer]

  /// Starts the cluster, and blocks until it has all its slots.
  public init() throws {
    servers = try (0..<3).map { _ in try RedisServer(inCluster: true) }
    let slots = [(0, 5460), (5461, 10922), (10923, 16383)]
    for (server, slots) in zip(servers, slots) {
      try server.run("CLUSTER", "ADDSLOTSRANGE", "\(slots.0)", "\(slots.1)")
    }
    for (number, server) in servers.enumerated() {
      try server.run("CLUSTER", "SET-CONFIG-EPOCH", "\(number + 1)")
      for other in servers where other !== server {
        try server.run("CLUSTER", "MEET", "127.0.0.1", "\(other.port)", "\(other.clusterPort)")
      }
    }
    for server in servers {
      try server.wait("the cluster") { try server.run("CLUSTER", "INFO").contains("cluster_state:ok") }
    }
  }

  /// Moves a slot, and its keys, to the next server.
  public func move(slot: String) throws {
    let names = try servers.map { try $0.run("CLUSTER", "MYID") }
    let source = try servers.firstIndex { try !$0.run("CLUSTER", "GETKEYSINSLOT", slot, "10").isEmpty }
    guard let source else { throw ServerFailure("No server has a key in slot \(slot).") }
    let target = (source + 1) % servers.count
    try servers[target].run("CLUSTER", "SETSLOT", slot, "IMPORTING", names[source])
    try servers[source].run("CLUSTER", "SETSLOT", slot, "MIGRATING", names[target])
    for key in try servers[source].run("CLUSTER", "GETKEYSINSLOT", slot, "10").split(separator: "\n") {
      try servers[source].run("MIGRATE", "127.0.0.1", "\(servers[target].port)", String(key), "0", "5000")
    }
    for server in [servers[target], servers[source]] {
      try server.run("CLUSTER", "SETSLOT", slot, "NODE", names[target])
    }
  }
}
