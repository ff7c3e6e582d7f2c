import CEaselListener
import EaselService
import Glibc

extension ListenerLoop {
  private static let firstSocketKey = UInt64.max - 1
  private static let acceptsAtOnce = 64
  /// The refused connections that wait at a time until their clients have read why.
  private static let mostTurnedAway = 256
  private static let pause = Duration.milliseconds(100)

  /// The listening socket of an event's key.
  func socket(of key: UInt64) -> ListeningSocket? {
    let index = Self.firstSocketKey - key
    return index < UInt64(sockets.count) ? sockets[Int(index)] : nil
  }

  func watchSockets() {
    acceptsAgain = nil
    for (index, socket) in sockets.enumerated() {
      easel_poller_add_listening(poller, socket.descriptor, Self.firstSocketKey - UInt64(index))
    }
  }

  func openSpare() { spare = open("/dev/null", O_RDONLY | O_CLOEXEC) }

  /// Accepts those who wait, and lets the sockets go.
  func stopAccepting() {
    guard !sockets.isEmpty else { return }
    if order == .drain, acceptsAgain == nil { for socket in sockets { accept(from: socket) } }
    for socket in sockets { easel_poller_remove(poller, socket.descriptor) }
    sockets = []
    acceptsAgain = nil
  }

  func accept(from socket: ListeningSocket) {
    for _ in 0..<Self.acceptsAtOnce {
      guard acceptsAgain == nil else { return }
      var peer = easel_peer()
      let descriptor = easel_accept(socket.descriptor, &peer)
      if descriptor >= 0 {
        enter(descriptor, peer)
        continue
      }
      switch errno {
      case EAGAIN: return
      // The client left before its turn, or the error is about its network (accept(2)).
      case EINTR, ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENOPROTOOPT: continue
      default: pauseAccepting(socket)
      }
    }
  }

  private func enter(_ descriptor: Int32, _ peer: easel_peer) {
    let origin = Origin(peer)
    counts.accepted += 1
    var verdict = census.enter(origin)
    // A client that has nothing to ask makes room for one that has.
    if verdict == .tooMany, let idle = queues[DeadlineQueue.Kind.idle.rawValue].earliest(connections.slots) {
      counts.idled += 1
      close(idle)
      verdict = census.enter(origin)
    }
    switch verdict {
    case .welcome: begin(descriptor, origin, peer)
    case .tooMany: turnAway(descriptor, "The server has all the connections that it may have.")
    case .tooManyOfOrigin:
      counts.crowded += 1
      turnAway(descriptor, "Your address has all the connections that it may have.")
    }
  }

  private func begin(_ descriptor: Int32, _ origin: Origin?, _ peer: easel_peer) {
    let connection = connections.add(descriptor, origin, peer)
    guard easel_poller_add_connection(poller, descriptor, connection.key.raw) == 0 else { return close(connection) }
    setDeadline(.head, connection)
  }

  /// Tells a client that there is no room.
  ///
  /// It is accepted and not left in the queue of the system, so that a load balancer sees the answer at once and asks
  /// another server.
  private func turnAway(_ descriptor: Int32, _ reason: String) {
    guard turnedAway < Self.mostTurnedAway else {
      counts.refused[503, default: 0] += 1
      Glibc.close(descriptor)
      return
    }
    let connection = connections.add(descriptor, nil)
    connection.isCounted = false
    turnedAway += 1
    guard easel_poller_add_connection(poller, descriptor, connection.key.raw) == 0 else { return close(connection) }
    refuse(connection, 503, reason, headers: [("Retry-After", "1")])
    advance(connection)
  }

  /// Waits with accepting when there is no descriptor or the socket is broken, because it would be reported again and
  /// again.
  private func pauseAccepting(_ socket: ListeningSocket) {
    counts.pauses += 1
    acceptsAgain = now + Self.pause
    for socket in sockets { easel_poller_remove(poller, socket.descriptor) }
    guard spare >= 0 else { return }
    // The one that waits longest is told, with the descriptor that was kept for this.
    Glibc.close(spare)
    var peer = easel_peer()
    let descriptor = easel_accept(socket.descriptor, &peer)
    if descriptor >= 0 {
      counts.accepted += 1
      counts.refused[503, default: 0] += 1
      var answer = Answer(
        Answer.message(503, "The server has no room for another connection.", headers: [("Retry-After", "1")]),
        AnswerFrame(), date: date)
      _ = answer.send(to: descriptor, through: buffer, most: Self.bytesPerTurn)
      Glibc.close(descriptor)
    }
    openSpare()
  }
}
