import EaselWire

typealias RedisConnection = WireConnection<RedisReplyParser>

/// One connection to a server, with the time limit for its answers.
struct RedisSession: Sendable {
  private let session: WireSession<RedisReplyParser>
  private let answerTime: Duration

  init(_ connector: RedisConnector) {
    session = WireSession(connecting: { try await connector.connect() })
    answerTime = connector.configuration.answerTime
  }

  /// Sends a command, and waits for its reply.
  func send(_ command: RedisCommand) async throws -> RedisReply {
    try await session.value().send(command.bytes, within: answerTime)
  }

  /// Sends two commands directly one after the other, and waits for the reply of the second.
  func send(_ first: RedisCommand, then second: RedisCommand) async throws -> RedisReply {
    let connection = try await session.value()
    connection.post(first.bytes, within: answerTime)
    return try await connection.send(second.bytes, within: answerTime)
  }

  /// Sends a command if there is a connection, and does not wait for its reply.
  func post(_ command: RedisCommand) { session.current?.post(command.bytes, within: answerTime) }

  /// Ends the connection.
  func end() { session.end() }
}
