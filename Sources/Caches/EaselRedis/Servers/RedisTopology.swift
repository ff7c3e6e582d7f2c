/// Finds the server for a key.
protocol RedisTopology: Sendable {
  /// The server that has this key.
  func node(for key: String) async throws -> RedisNode

  /// The server at an address that another server named.
  func node(at address: RedisAddress) -> RedisNode

  /// One of the servers; each call returns the next one.
  func anyNode() async throws -> RedisNode

  /// Notes that a server cannot be used, or no longer has its keys.
  func distrust(_ node: RedisNode)

  /// Notes that a key has moved with its slot, as a server reported.
  func note(_ key: String, isAt address: RedisAddress)

  /// Ends all connections.
  func end()
}

extension RedisTopology {
  func note(_ key: String, isAt address: RedisAddress) {}
}
