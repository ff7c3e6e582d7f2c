import EaselCore
import EaselWire

typealias RedisConnection = WireConnection<RedisReplyParser>

/// One connection to a server, which is made when it is needed and made again after it was lost.
final class RedisLane: Sendable {
  /// The time for which nobody tries to connect after it has failed.
  private static let pause = Duration.milliseconds(100)

  private struct State {
    var connection: RedisConnection?
    var connecting: Task<RedisConnection, any Error>?
    var failure: (error: any Error, until: Duration)?
    var isEnded = false
  }

  private let link: RedisLink
  private let state = Locked(State())

  init(_ link: RedisLink) { self.link = link }

  deinit { end() }

  /// Sends a command, and waits for its reply.
  func send(_ command: RedisCommand) async throws -> RedisReply {
    try await ready().send(command.bytes, within: link.configuration.answerTime)
  }

  /// Sends two commands one right after the other, and waits for the reply of the second.
  func send(_ first: RedisCommand, then second: RedisCommand) async throws -> RedisReply {
    let connection = try await ready()
    connection.post(first.bytes, within: link.configuration.answerTime)
    return try await connection.send(second.bytes, within: link.configuration.answerTime)
  }

  /// Sends a command whose reply nobody waits for, if there is a connection.
  func post(_ command: RedisCommand) {
    state.withLock { $0.connection }?.post(command.bytes, within: link.configuration.answerTime)
  }

  /// Ends the connection.
  func end() {
    let (connection, connecting) = state.withLock { state in
      state.isEnded = true
      return (state.connection.take(), state.connecting.take())
    }
    connection?.end(WireError(.lost, "The connection is not needed any more."))
    // Nobody waits for it, so it ends when it is there.
    if let connecting { Task { try? await connecting.value.end(WireError(.lost, "The connection came too late.")) } }
  }

  private enum Next {
    case connection(RedisConnection)
    case connecting(Task<RedisConnection, any Error>)
    case failure(any Error)
  }

  private func next(_ state: inout State, _ now: Duration) -> Next {
    if let connection = state.connection, connection.isOpen { return .connection(connection) }
    if let connecting = state.connecting { return .connecting(connecting) }
    if let failure = state.failure, failure.until > now { return .failure(failure.error) }
    if state.isEnded { return .failure(WireError(.lost, "The connection has ended.")) }
    let connecting = Task.detached { [link] in try await link.connect() }
    state.connecting = connecting
    return .connecting(connecting)
  }

  private func ready() async throws -> RedisConnection {
    let now = SystemClock().uptime
    let connecting: Task<RedisConnection, any Error>
    switch state.withLock({ next(&$0, now) }) {
    case .connection(let connection): return connection
    case .failure(let error): throw error
    case .connecting(let task): connecting = task
    }
    let result = await connecting.result
    state.withLock { state in
      guard state.connecting == connecting else { return }
      state.connecting = nil
      switch result {
      case .success(let connection): state.connection = connection
      case .failure(let error): state.failure = (error, SystemClock().uptime + Self.pause)
      }
    }
    return try result.get()
  }
}
