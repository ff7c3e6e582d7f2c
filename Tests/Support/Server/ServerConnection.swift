import EaselCore

/// Plays scripts on one connection, on its own thread.
struct ServerConnection {
  private enum Ending {
    case isOpen, isOver
  }

  let number: Int
  let socket: ServerSocket
  let record: Watched<ServerRecord>
  /// The work context for passing gates; closing the server cancels it, which opens them all.
  let work: WorkContext
  /// The script to play at once, without a request; nil if requests choose the script.
  let script: ServerScript?

  func run() {
    var reader = RequestReader(socket)
    if let script {
      if play(script, &reader) == .isOpen { socket.closeGently() }
    } else {
      answerRequests(&reader)
    }
    // The socket is closed before the record is updated, so that waiters never find the descriptor open.
    socket.close()
  }

  private func answerRequests(_ reader: inout RequestReader) {
    while let request = readRequest(&reader) {
      let route = record.withLock { $0.route(for: request.path) }
      let script = route?.answer(request) ?? .reply(404)
      guard play(script, &reader) == .isOpen else { return }
      guard script.keepsAlive, !HTTPHeaders.isToken("close", in: request.headers["Connection"]) else { break }
    }
    socket.closeGently()
  }

  private func readRequest(_ reader: inout RequestReader) -> ServerRequest? {
    reader.next().map { request in record.withLock { $0.remember(request, from: number) } }
  }

  private func play(_ script: ServerScript, _ reader: inout RequestReader) -> Ending {
    for step in script.steps {
      guard play(step, &reader) == .isOpen else { return .isOver }
    }
    return .isOpen
  }

  private func play(_ step: ServerStep, _ reader: inout RequestReader) -> Ending {
    switch step {
    case .readRequest: return readRequest(&reader) == nil ? .isOver : .isOpen
    case .send(let bytes): return socket.send(bytes) ? .isOpen : .isOver
    case .body(let count): return socket.send(ServerBody.bytes(count)) ? .isOpen : .isOver
    case .wait(let gate): return pass(gate)
    case .drip(let bytes, let gate):
      let isWhole = bytes.allSatisfy { pass(gate) == .isOpen && socket.send(CollectionOfOne($0)) }
      return isWhole ? .isOpen : .isOver
    case .dripEvery(let pause, let bytes):
      let milliseconds = CInt(min(max(1, pause / .milliseconds(1)), 1e9))
      let isWhole = bytes.allSatisfy { !socket.hasEnded(within: milliseconds) && socket.send(CollectionOfOne($0)) }
      return isWhole ? .isOpen : .isOver
    case .waitForHangup:
      socket.waitForHangup()
      return .isOver
    case .reset:
      socket.reset()
      return .isOver
    case .close:
      socket.closeGently()
      return .isOver
    }
  }

  private func pass(_ gate: Gate) -> Ending {
    do { try gate.pass(work) } catch { return .isOver }
    return .isOpen
  }
}
