import EaselCore
import EaselSupport

/// The servers of a cluster, each of which has some of the slots.
final class ClusterServers: RedisTopology {
  static let slotCount = 16_384

  private struct State {
    var nodes: [RedisAddress: RedisNode] = [:]
    var slots: [RedisAddress?] = []
    var asking: Task<Void, any Error>?
    var turn = 0
  }

  private let seeds: [RedisAddress]
  private let makeLink: @Sendable (RedisAddress) -> RedisConnector
  private let state = Locked(State())

  init(_ seeds: [RedisAddress], _ makeLink: @escaping @Sendable (RedisAddress) -> RedisConnector) {
    self.seeds = seeds
    self.makeLink = makeLink
  }

  func node(for key: String) async throws -> RedisNode {
    let slot = RedisClient.slot(of: key)
    if let address = state.withLock({ $0.slots.isEmpty ? nil : $0.slots[Int(slot)] }) { return node(at: address) }
    try await readSlots()
    guard let address = state.withLock({ $0.slots.isEmpty ? nil : $0.slots[Int(slot)] }) else {
      throw ImageError(
        .cacheFailed, "No server of the cluster has the slot \(slot). Check that the cluster covers all slots.",
        subject: seeds.map(\.description).joined(separator: ","))
    }
    return node(at: address)
  }

  func node(at address: RedisAddress) -> RedisNode {
    state.withLock { state in
      if let node = state.nodes[address] { return node }
      let node = RedisNode(makeLink(address))
      state.nodes[address] = node
      return node
    }
  }

  func anyNode() async throws -> RedisNode {
    let addresses = knownAddresses
    let turn = state.withLock { state in
      state.turn += 1
      return state.turn
    }
    return node(at: addresses[turn % addresses.count])
  }

  func distrust(_ node: RedisNode) {
    // A replica may have taken over the slots of this server, so they are looked up again.
    state.withLock { state in
      state.slots = []
      state.nodes[node.address] = nil
    }
    node.end()
  }

  func note(_ key: String, isAt address: RedisAddress) {
    let slot = RedisClient.slot(of: key)
    state.withLock { state in
      if !state.slots.isEmpty { state.slots[Int(slot)] = address }
    }
  }

  func end() {
    let nodes = state.withLock { state in
      defer { state.nodes = [:] }
      return Array(state.nodes.values)
    }
    for node in nodes { node.end() }
  }

  private var knownAddresses: [RedisAddress] {
    let known = state.withLock { Array($0.nodes.keys) }
    return known.filter { !seeds.contains($0) } + seeds
  }

  private func readSlots() async throws {
    let asking = state.withLock { state in
      let asking = state.asking ?? Task.detached { [self] in try await askForSlots() }
      state.asking = asking
      return asking
    }
    let result = await asking.result
    state.withLock { state in
      if state.asking == asking { state.asking = nil }
    }
    try result.get()
  }

  private func askForSlots() async throws {
    var failure: (any Error)?
    for address in knownAddresses {
      do {
        let reply = try await node(at: address).session(isLarge: false).send(RedisCommand("CLUSTER", "SLOTS"))
        if case .error(let complaint) = reply { throw RedisFailure(complaint, by: address.description) }
        let slots = try Self.slots(in: reply, toldBy: address)
        return state.withLock { $0.slots = slots }
      } catch {
        failure = error
      }
    }
    throw ImageError(
      .cacheFailed, "No server of the cluster answers. Check that it runs.",
      subject: seeds.map(\.description).joined(separator: ","), cause: failure)
  }

  /// Reads a list of ranges: first slot, last slot, host and port of the master, and its replicas.
  static func slots(in reply: RedisReply, toldBy source: RedisAddress) throws -> [RedisAddress?] {
    guard let ranges = reply.elements else { throw RedisFailure(unexpected: reply, to: "CLUSTER SLOTS") }
    var slots = [RedisAddress?](repeating: nil, count: slotCount)
    for range in ranges {
      guard let parts = range.elements, parts.count > 2, let first = parts[0].number, let last = parts[1].number,
        first >= 0, first <= last, last < slotCount, let master = parts[2].elements, master.count > 1,
        let port = master[1].number, (1...65535).contains(port)
      else { throw RedisFailure(unexpected: range, to: "CLUSTER SLOTS") }
      // A server that does not know its own name leaves the host out.
      var host = master[0].text ?? ""
      if host.isEmpty, case .tcp(let name, _) = source { host = name }
      for slot in first...last { slots[Int(slot)] = .tcp(host: host, port: Int(port)) }
    }
    return slots
  }
}
