import EaselCore

/// One connection to an engine, which is made when it is needed and made again after it was lost.
package final class WireLane<Parser: WireParser>: Sendable {
  package typealias Connection = WireConnection<Parser>

  private struct State {
    var connection: Connection?
    var connecting: Task<Connection, any Error>?
    var failure: (error: any Error, until: Duration)?
    var isEnded = false
  }

  private enum Next {
    case connection(Connection)
    case connecting(Task<Connection, any Error>)
    case failure(any Error)
  }

  /// The time for which nobody tries to connect after it has failed.
  private static var pause: Duration { .milliseconds(100) }

  private let connect: @Sendable () async throws -> Connection
  private let state = Locked(State())

  package init(_ connect: @escaping @Sendable () async throws -> Connection) { self.connect = connect }

  deinit { end() }

  /// The connection, if there is one already.
  package var current: Connection? { state.withLock { $0.connection } }

  /// The connection; all who ask while it is being made wait for the same one.
  package func ready() async throws -> Connection {
    let now = SystemClock().uptime
    let connecting: Task<Connection, any Error>
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

  private func next(_ state: inout State, _ now: Duration) -> Next {
    if let connection = state.connection, connection.isOpen { return .connection(connection) }
    if let connecting = state.connecting { return .connecting(connecting) }
    if let failure = state.failure, failure.until > now { return .failure(failure.error) }
    if state.isEnded { return .failure(WireError(.lost, "The connection has ended.")) }
    let connecting = Task.detached { [connect] in try await connect() }
    state.connecting = connecting
    return .connecting(connecting)
  }

  /// Ends the connection.
  package func end() {
    let (connection, connecting) = state.withLock { state in
      state.isEnded = true
      return (state.connection.take(), state.connecting.take())
    }
    connection?.end(WireError(.lost, "The connection is not needed any more."))
    // Nobody waits for it, so it ends when it is there.
    if let connecting { Task { try? await connecting.value.end(WireError(.lost, "The connection came too late.")) } }
  }
}
