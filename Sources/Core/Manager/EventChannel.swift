/// The events of one load on their way to whoever iterates them.
final class EventChannel: Sendable {
  private struct State {
    var readers: [AsyncStream<ImageTask.Event>.Continuation] = []
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
    let (history, isFinished) = state.withLock { state in
      if !state.isFinished { state.readers.append(continuation) }
      return ([state.cached, state.progress, state.preview].compactMap { $0 }, state.isFinished)
    }
    for event in history { continuation.yield(event) }
    if isFinished { continuation.finish() }
    return stream
  }

  func send(_ event: ImageTask.Event) {
    let readers = state.withLock { state -> [AsyncStream<ImageTask.Event>.Continuation] in
      guard !state.isFinished else { return [] }
      switch event {
      case .progress: state.progress = event
      case .cached: state.cached = event
      case .preview: state.preview = event
      }
      return state.readers
    }
    for reader in readers { reader.yield(event) }
  }

  func finish() {
    let readers = state.withLock { state in
      state.isFinished = true
      defer { state.readers = [] }
      return state.readers
    }
    for reader in readers { reader.finish() }
  }
}
