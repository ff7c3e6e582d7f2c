import EaselCore
import EaselWire

/// The master that sentinels name; after a failure they are asked again.
final class SentinelServers: RedisTopology {
  private struct State {
    var master: RedisNode?
    var asking: Task<RedisNode, any Error>?
    var sentinels: [RedisAddress]
  }

  private let name: String
  private let makeLink: @Sendable (RedisAddress) -> RedisLink
  private let state: Locked<State>

  init(
    _ name: String, _ sentinels: [RedisAddress], _ makeLink: @escaping @Sendable (RedisAddress) -> RedisLink
  ) {
    self.name = name
    self.makeLink = makeLink
    state = Locked(State(sentinels: sentinels))
  }

  func node(for slot: UInt16) async throws -> RedisNode { try await anyNode() }

  func node(at address: RedisAddress) -> RedisNode { RedisNode(makeLink(address)) }

  func anyNode() async throws -> RedisNode {
    let (master, asking) = state.withLock { state in
      if let master = state.master { return (Optional(master), Task<RedisNode, any Error>?.none) }
      let asking = state.asking ?? Task.detached { [self] in try await findMaster() }
      state.asking = asking
      return (nil, asking)
    }
    if let master { return master }
    let result = await asking!.result
    state.withLock { state in
      guard state.asking == asking else { return }
      state.asking = nil
      state.master = try? result.get()
    }
    return try result.get()
  }

  func distrust(_ node: RedisNode) {
    let isMaster = state.withLock { state in
      guard state.master === node else { return false }
      state.master = nil
      return true
    }
    if isMaster { node.end() }
  }

  func end() { state.withLock { $0.master.take() }?.end() }

  private func findMaster() async throws -> RedisNode {
    var failure: any Error = RedisFailure(unexpected: .null, to: "SENTINEL")
    for sentinel in state.withLock({ $0.sentinels }) {
      do {
        let node = RedisNode(try await addressOfMaster(by: sentinel))
        // A sentinel may name a server that has just become a replica.
        let role = try await node.lane(isLarge: false).send(RedisCommand("ROLE"))
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
      subject: state.withLock { $0.sentinels }.map(\.description).joined(separator: ","), cause: failure)
  }

  private func addressOfMaster(by sentinel: RedisAddress) async throws -> RedisLink {
    var link = makeLink(sentinel)
    // Sentinels have no databases, and no users unless they were given some of their own.
    link = RedisLink(
      address: sentinel, configuration: link.configuration.ofSentinel, tls: link.tls, largestReply: 1 << 16)
    let lane = RedisLane(link)
    defer { lane.end() }
    let reply = try await lane.send(RedisCommand("SENTINEL", "get-master-addr-by-name", name))
    guard let parts = reply.elements?.compactMap(\.text), parts.count == 2, let port = Int(parts[1]) else {
      throw RedisFailure(unexpected: reply, to: "SENTINEL get-master-addr-by-name \(name)")
    }
    return makeLink(.tcp(host: parts[0], port: port))
  }

  private func prefer(_ sentinel: RedisAddress) {
    state.withLock { state in
      state.sentinels.removeAll { $0 == sentinel }
      state.sentinels.insert(sentinel, at: 0)
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
