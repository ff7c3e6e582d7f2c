import CEaselListener
import EaselService
import Glibc

extension ListenerLoop {
  private static let firstSocketKey = UInt64.max - 1
  private static let acceptsAtOnce = 64
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

  /// Keeps descriptors for times when the process has no other.
  func openSpares() {
    while spares.count <= settings.briefConnections {
      let spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard spare >= 0 else { return }
      spares.append(spare)
    }
  }

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
      default:
        switch acceptBriefly(from: socket) {
        case .accepted: continue
        case .nobody: return
        case .impossible: pauseAccepting(socket)
        }
      }
    }
  }

  private func enter(_ descriptor: Int32, _ peer: easel_peer) {
    let client = ClientAddress(peer)
    counts.accepted += 1
    var verdict = limiter.enter(client)
    // A client that has nothing to ask makes room for one that has.
    if verdict == .tooMany, let idle = queues[DeadlineQueue.Kind.idle.rawValue].earliest(connections.slots) {
      counts.idled += 1
      close(idle)
      verdict = limiter.enter(client)
    }
    switch verdict {
    case .welcome: begin(descriptor, client, peer)
    case .tooMany: if hasBriefPlace() { beginBriefly(descriptor, peer) } else { turnAway(descriptor, Self.fullHouse) }
    case .tooManyOfClient:
      counts.crowded += 1
      turnAway(descriptor, "Your address has all the connections that it may have.")
    }
  }

  private func begin(_ descriptor: Int32, _ client: ClientAddress?, _ peer: easel_peer) {
    let connection = connections.add(descriptor, client, peer)
    guard easel_poller_add_connection(poller, descriptor, connection.key.raw) == 0 else { return close(connection) }
    setDeadline(.head, connection)
  }

  /// The reason for a refusal.
  static let fullHouse = "The server has all the connections that it may have."

  /// True if one more connection over the limit may be asked what it wants; one that has said nothing gives way.
  private func hasBriefPlace() -> Bool {
    guard turnedAway < limiter.mostTurnedAway else { return false }
    if brief.count < settings.briefConnections { return true }
    guard let silent = brief.lazy.compactMap({ self.connections[$0] }).first(where: \.isFresh) else { return false }
    setDeadline(nil, silent)
    refuse(silent, 503, Self.fullHouse, headers: [("Retry-After", "1")])
    advance(silent)
    return true
  }

  /// Lets a connection over the limit ask for what needs no waiting.
  private func beginBriefly(_ descriptor: Int32, _ peer: easel_peer) {
    let connection = connections.add(descriptor, nil, peer)
    connection.isCounted = false
    turnedAway += 1
    guard easel_poller_add_connection(poller, descriptor, connection.key.raw) == 0 else { return close(connection) }
    brief.append(connection.key)
    setDeadline(.head, connection)
  }

  private enum BriefAcceptance { case accepted, nobody, impossible }

  /// Accepts a connection with a descriptor that was kept for this.
  private func acceptBriefly(from socket: ListeningSocket) -> BriefAcceptance {
    guard spares.count > 1, brief.count < settings.briefConnections, let spare = spares.popLast() else {
      return .impossible
    }
    Glibc.close(spare)
    var peer = easel_peer()
    let descriptor = easel_accept(socket.descriptor, &peer)
    guard descriptor >= 0 else {
      // Without a descriptor the system says so even if nobody waits.
      let isOver = errno == EAGAIN
      openSpares()
      return isOver ? .nobody : .impossible
    }
    counts.accepted += 1
    beginBriefly(descriptor, peer)
    return .accepted
  }

  /// Tells a client that there is no room.
  ///
  /// It is accepted and not left in the queue of the system, so that a load balancer sees the answer at once and asks
  /// another server.
  private func turnAway(_ descriptor: Int32, _ reason: String) {
    guard turnedAway < limiter.mostTurnedAway else {
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
    guard let spare = spares.popLast() else { return }
    // The one that waits longest is told, with the descriptor that was kept for this.
    Glibc.close(spare)
    var peer = easel_peer()
    let descriptor = easel_accept(socket.descriptor, &peer)
    if descriptor >= 0 {
      counts.accepted += 1
      counts.refused[503, default: 0] += 1
      var answer = OutgoingResponse(
        OutgoingResponse.message(
          503, "The server has no room for another connection.", headers: [("Retry-After", "1")]),
        ResponseFrame(), date: date)
      _ = answer.send(to: descriptor, through: buffer, most: Self.bytesPerTurn)
      Glibc.close(descriptor)
    }
    openSpares()
  }
}
