import EaselCore
import EaselSupport
import EaselWire

/// The master that sentinels name; after a failure, the sentinels are asked again.
final class SentinelServers: RedisTopology {
  private let makeLink: @Sendable (RedisAddress) -> RedisConnector
  private let master: OnDemandValue<RedisNode>

  init(
    _ name: String, _ sentinels: [RedisAddress], _ makeLink: @escaping @Sendable (RedisAddress) -> RedisConnector
  ) {
    self.makeLink = makeLink
    let search = MasterSearch(name, sentinels, makeLink)
    master = OnDemandValue(dispose: { $0.end() }, make: { try await search.master() })
  }

  func node(for key: String) async throws -> RedisNode { try await anyNode() }

  func node(at address: RedisAddress) -> RedisNode { RedisNode(makeLink(address)) }

  func anyNode() async throws -> RedisNode { try await master.value() }

  func distrust(_ node: RedisNode) { master.drop { $0 === node } }

  func end() { master.end() }
}

/// Asks sentinels for the master, beginning with the one that answered last.
private final class MasterSearch: Sendable {
  private let name: String
  private let makeLink: @Sendable (RedisAddress) -> RedisConnector
  private let sentinels: Locked<[RedisAddress]>

  init(_ name: String, _ sentinels: [RedisAddress], _ makeLink: @escaping @Sendable (RedisAddress) -> RedisConnector) {
    self.name = name
    self.makeLink = makeLink
    self.sentinels = Locked(sentinels)
  }

  func master() async throws -> RedisNode {
    var failure: any Error = RedisFailure(unexpected: .null, to: "SENTINEL")
    for sentinel in sentinels.withLock({ $0 }) {
      do {
        let node = RedisNode(try await addressOfMaster(by: sentinel))
        // The server that a sentinel names may just have become a replica.
        let role = try await node.session(isLarge: false).send(RedisCommand("ROLE"))
        guard role.elements?.first?.text == "master" else {
          node.end()
          throw RedisFailure(unexpected: role, to: "ROLE")
        }
        prefer(sentinel)
        return node
      } catch {
        failure = error
      }
    }
    throw ImageError(
      .cacheFailed, "No sentinel names a master \(name) that answers. Check that sentinels and master run.",
      subject: sentinels.withLock { $0 }.map(\.description).joined(separator: ","), cause: failure)
  }

  private func addressOfMaster(by sentinel: RedisAddress) async throws -> RedisConnector {
    var connector = makeLink(sentinel)
    // Sentinels have no databases, and they have users only if they were configured with some.
    connector = RedisConnector(
      address: sentinel, configuration: connector.configuration.ofSentinel, tls: connector.tls, largestReply: 1 << 16)
    let session = RedisSession(connector)
    defer { session.end() }
    let reply = try await session.send(RedisCommand("SENTINEL", "get-master-addr-by-name", name))
    guard let parts = reply.elements?.compactMap(\.text), parts.count == 2, let port = Int(parts[1]) else {
      throw RedisFailure(unexpected: reply, to: "SENTINEL get-master-addr-by-name \(name)")
    }
    return makeLink(.tcp(host: parts[0], port: port))
  }

  private func prefer(_ sentinel: RedisAddress) {
    sentinels.withLock { sentinels in
      sentinels.removeAll { $0 == sentinel }
      sentinels.insert(sentinel, at: 0)
    }
  }
}

extension RedisConfiguration {
  fileprivate var ofSentinel: RedisConfiguration {
    var configuration = self
    (configuration.user, configuration.password, configuration.database) = (nil, nil, 0)
    return configuration
  }
}
