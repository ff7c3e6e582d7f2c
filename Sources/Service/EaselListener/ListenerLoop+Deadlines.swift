import CEaselListener
import Glibc

extension ListenerLoop {
  /// Ends what takes too long.
  func expire() {
    if let acceptsAgain, acceptsAgain <= now { watchSockets() }
    for kind in DeadlineQueue.Kind.allCases {
      while let connection = queues[kind.rawValue].earliest(connections.slots), connection.deadline <= now {
        expire(connection, kind)
      }
    }
  }

  private func expire(_ connection: Connection, _ kind: DeadlineQueue.Kind) {
    switch kind {
    case .head:
      if connection.isFresh {
        counts.idled += 1
        return close(connection)
      }
      setDeadline(nil, connection)
      refuse(connection, 408, "The head of the request took too long.")
      advance(connection)
    case .idle:
      counts.idled += 1
      close(connection)
    case .send: judgeSending(connection)
    case .linger: close(connection)
    }
  }

  /// Gives a client more time if it has taken enough of its answer.
  ///
  /// The bytes that the client's system has confirmed count, and not those that fit into a buffer here.
  private func judgeSending(_ connection: Connection) {
    let waiting = Int(easel_unconfirmed_bytes(connection.descriptor))
    let confirmed = (connection.answer?.sent ?? 0) - waiting
    guard waiting < 0 || confirmed - connection.confirmed < settings.sendBytes else {
      connection.confirmed = confirmed
      return setDeadline(.send, connection)
    }
    counts.stalled += 1
    // Without this the system would keep the unsent bytes for minutes.
    var reset = linger(l_onoff: 1, l_linger: 0)
    setsockopt(connection.descriptor, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<Glibc.linger>.size))
    left(connection)
  }
}
