/// The events of one load on their way to whoever iterates them.
final class EventChannel: Sendable {
  /// Who iterates; nil is the end.
  private typealias Reader = Mailbox<ImageTask.Event?>

  private struct State {
    var readers: [Reader] = []
    var progress: ImageTask.Event?
    var cached: ImageTask.Event?
    var preview: ImageTask.Event?
    var isFinished = false
  }

  private let state = Locked(State())

  /// A stream of the events from now on, after the newest of each kind that came before.
  func stream() -> AsyncStream<ImageTask.Event> {
    // A reader that is slow loses old events, not the newest.
    let (stream, continuation) = AsyncStream.makeStream(
      of: ImageTask.Event.self, bufferingPolicy: .bufferingNewest(64))
    let reader = Reader { event in
      if let event { continuation.yield(event) } else { continuation.finish() }
    }
    state.withLock { state in
      for event in [state.cached, state.progress, state.preview] where event != nil { reader.post(event) }
      if state.isFinished { reader.post(nil) } else { state.readers.append(reader) }
    }
    reader.deliver()
    return stream
  }

  func send(_ event: ImageTask.Event) {
    let readers = state.withLock { state -> [Reader] in
      guard !state.isFinished else { return [] }
      switch event {
      case .progress: state.progress = event
      case .cached: state.cached = event
      case .preview: state.preview = event
      }
      for reader in state.readers { reader.post(event) }
      return state.readers
    }
    for reader in readers { reader.deliver() }
  }

  func finish() {
    let readers = state.withLock { state in
      state.isFinished = true
      for reader in state.readers { reader.post(nil) }
      defer { state.readers = [] }
      return state.readers
    }
    for reader in readers { reader.deliver() }
  }
}
