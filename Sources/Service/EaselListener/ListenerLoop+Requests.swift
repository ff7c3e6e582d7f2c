import EaselCore
import EaselService
import Glibc

extension ListenerLoop {
  /// The bytes that are read from a client that was refused, so that it sees the answer and not a broken connection.
  private static let mostDiscarded = 1 << 20

  /// Does what can be done on a connection without waiting.
  func advance(_ connection: Connection) {
    for _ in 0..<Self.headsPerTurn * 2 {
      switch connection.state {
      case .reading: guard read(connection) else { return }
      case .waiting: return
      case .sending: guard send(connection) else { return }
      case .lingering: return linger(connection)
      }
    }
    unfinished.append(connection.key)
  }

  /// Reads on; false when bytes must come first, or the connection has ended.
  private func read(_ connection: Connection) -> Bool {
    if connection.hasNews {
      take(connection.readHead(settings.head), connection)
      return true
    }
    guard connection.mayRead else { return false }
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, 16 << 10)])
    let count = recv(connection.descriptor, part.baseAddress, part.count, 0)
    if count > 0 {
      // A short read has emptied the queue, and the system reports what comes next.
      if count < part.count { connection.mayRead = false }
      take(connection.readHead(UnsafeRawBufferPointer(rebasing: part[..<count]), settings.head), connection)
      return true
    }
    if count < 0, errno == EINTR { return true }
    if count < 0, errno == EAGAIN {
      connection.mayRead = false
    } else {
      left(connection)
    }
    return false
  }

  private func take(_ result: HeadReader.Result, _ connection: Connection) {
    switch result {
    case .incomplete: if connection.queue != .head { setDeadline(.head, connection) }
    case .head(let head, _): begin(head, connection)
    case .refused(let fault):
      let allowed = [("Allow", settings.head.methods.joined(separator: ", "))]
      refuse(connection, fault.status, fault.message, headers: fault.status == 405 ? allowed : [])
    }
  }

  /// Hands a request to the handler.
  private func begin(_ head: RequestHead, _ connection: Connection) {
    setDeadline(nil, connection)
    connection.frame = ResponseFrame(
      isHeadOnly: head.method == "HEAD", isCurrentVersion: head.isCurrentVersion,
      keepsAlive: head.keepsAlive && connection.isCounted)
    var request = ServiceRequest(
      method: head.method, target: head.target, headers: head.headers, clientAddress: connection.clientAddress)
    if let response = handler.immediateResponse(to: request) {
      counts.requests += 1
      return answer(connection, response)
    }
    guard connection.isCounted else {
      return refuse(
        connection, 503, Self.fullHouse, headers: [("Retry-After", "1")], isHeadOnly: connection.frame.isHeadOnly)
    }
    counts.requests += 1
    let key = connection.key
    request.isCounted = true
    connection.state = .waiting(
      Task { [handler, inbox, request] in
        let response = await handler.response(to: request)
        inbox.post(LoopInbox.Delivery(key: key, response: response))
      })
  }

  /// Begins to send a response of the handler.
  func answer(_ connection: Connection, _ response: ServiceResponse) {
    if let sending {
      connection.sendingSince = clock.uptime
      sending.beginSending()
    }
    send(response, on: connection)
  }

  /// Tells that the response of the handler is sent or given up.
  func endSending(_ connection: Connection) {
    guard let start = connection.sendingSince else { return }
    connection.sendingSince = nil
    sending?.endSending(after: clock.uptime - start)
  }

  private func send(_ response: ServiceResponse, on connection: Connection) {
    // Its place is for another that has yet to say what it wants.
    if !connection.isCounted { brief.removeAll { $0 == connection.key } }
    connection.frame.keepsAlive = connection.frame.keepsAlive && order == .serve
    connection.answer = OutgoingResponse(response, connection.frame, date: date)
    connection.confirmed = 0
    connection.state = .sending
  }

  /// Answers without the handler; the connection ends with it.
  func refuse(
    _ connection: Connection, _ status: Int, _ message: String, headers: [(String, String)] = [],
    isHeadOnly: Bool? = nil
  ) {
    counts.refused[status, default: 0] += 1
    connection.forgetInput()
    connection.frame = ResponseFrame(isHeadOnly: isHeadOnly ?? connection.reader.isHeadOnly)
    send(OutgoingResponse.message(status, message, headers: headers), on: connection)
  }

  /// Sends on; false when the client must take something first, or the connection has ended.
  private func send(_ connection: Connection) -> Bool {
    let progress = connection.answer?.send(to: connection.descriptor, through: buffer, most: Self.bytesPerTurn)
    switch progress {
    case .blocked:
      if connection.queue != .send { setDeadline(.send, connection) }
    case .paused:
      if connection.queue != .send { setDeadline(.send, connection) }
      unfinished.append(connection.key)
    case .failed: left(connection)
    case .done, nil:
      finishAnswer(connection)
      return true
    }
    return false
  }

  private func finishAnswer(_ connection: Connection) {
    endSending(connection)
    let keepsAlive = connection.answer?.keepsAlive ?? false
    connection.answer = nil
    if keepsAlive, order == .serve || connection.hasInput {
      connection.state = .reading
      setDeadline(connection.hasInput ? .head : .idle, connection)
    } else {
      connection.forgetInput()
      connection.state = .lingering
      shutdown(connection.descriptor, CInt(SHUT_WR))
      setDeadline(.linger, connection)
    }
  }

  /// Waits until the client closes; a connection closed earlier would be reset if the client had sent anything more,
  /// and the answer lost.
  private func linger(_ connection: Connection) {
    while connection.mayRead {
      let count = recv(connection.descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 {
        connection.discarded += count
        if connection.discarded > Self.mostDiscarded { return close(connection) }
      } else if count == 0 || errno != EAGAIN && errno != EINTR {
        return close(connection)
      } else if errno == EAGAIN {
        connection.mayRead = false
      }
    }
  }
}
