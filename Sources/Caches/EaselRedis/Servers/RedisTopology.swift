/// Finds the server for a key.
protocol RedisTopology: Sendable {
  /// The server that has this key.
  func node(for key: String) async throws -> RedisNode

  /// A server of this address, as another one named it.
  func node(at address: RedisAddress) -> RedisNode

  /// One of the servers, the next of them at each call.
  func anyNode() async throws -> RedisNode

  /// Notes that a server cannot be used, or is not the one for its keys any more.
  func distrust(_ node: RedisNode)

  /// Notes that a key has moved with its slot, as a server says.
  func note(_ key: String, isAt address: RedisAddress)

  /// Ends all connections.
  func end()
}

extension RedisTopology {
  func note(_ key: String, isAt address: RedisAddress) {}
}
