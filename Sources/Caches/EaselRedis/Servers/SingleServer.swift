/// One server that has all keys.
final class SingleServer: RedisTopology {
  private let node: RedisNode
  private let makeLink: @Sendable (RedisAddress) -> RedisConnector

  init(_ address: RedisAddress, _ makeLink: @escaping @Sendable (RedisAddress) -> RedisConnector) {
    node = RedisNode(makeLink(address))
    self.makeLink = makeLink
  }

  func node(for key: String) async throws -> RedisNode { node }

  func node(at address: RedisAddress) -> RedisNode {
    address == node.address ? node : RedisNode(makeLink(address))
  }

  func anyNode() async throws -> RedisNode { node }

  func distrust(_ node: RedisNode) {}

  func end() { node.end() }
}
