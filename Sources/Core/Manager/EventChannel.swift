/// The events of one load on their way to whoever iterates them.
///
/// A picture may take hundreds of megabytes, so of the previews that a slow reader has not fetched only the newest
/// waits. Reports of progress are a few numbers: a reader may fall behind by some before only the newest counts.
final class EventChannel: Sendable {
  /// The events that one iterating task has not fetched yet.
  private final class Reader: Sendable {
    let bell = Bell()
    private let state: Locked<(waiting: [ImageTask.Event], isFinished: Bool)>

    /// The most reports of progress that wait.
    private static let mostReports = 16

    init(_ past: [ImageTask.Event], isFinished: Bool) { state = Locked((past, isFinished)) }

    func add(_ event: ImageTask.Event) {
      state.withLock { state in
        let mayQueue = event.isProgress && state.waiting.count { $0.isProgress } < Self.mostReports
        if !mayQueue { state.waiting.removeAll { $0.isOfTheKind(of: event) } }
        state.waiting.append(event)
      }
    }

    func finish() { state.withLock { $0.isFinished = true } }

    func next() -> PulledStream.Next<ImageTask.Event> {
      state.withLock { state in
        guard state.waiting.isEmpty else { return .element(state.waiting.removeFirst()) }
        return state.isFinished ? .end : .nothingYet
      }
    }
  }

  private struct WeakReader: Sendable {
    weak var reader: Reader?
  }

  private struct State {
    // Weak, so that nothing is kept for a sequence that nobody has any more.
    var readers: [WeakReader] = []
    var progress: ImageTask.Event?
    var cached: ImageTask.Event?
    var preview: ImageTask.Event?
    var isFinished = false
  }

  private let state = Locked(State())

  /// A stream of the events from now on, after the newest of each kind that came before.
  func stream() -> AsyncStream<ImageTask.Event> {
    let reader = state.withLock { state in
      let past = [state.cached, state.progress, state.preview].compactMap { $0 }
      let reader = Reader(past, isFinished: state.isFinished)
      if !state.isFinished { state.readers.append(WeakReader(reader: reader)) }
      return reader
    }
    return PulledStream.make(reader.bell) { reader.next() }
  }

  func send(_ event: ImageTask.Event) {
    let readers = state.withLock { state -> [Reader] in
      guard !state.isFinished else { return [] }
      switch event {
      case .progress: state.progress = event
      case .cached: state.cached = event
      case .preview: state.preview = event
      }
      let readers = state.readers.compactMap(\.reader)
      if readers.count < state.readers.count { state.readers.removeAll { $0.reader == nil } }
      for reader in readers { reader.add(event) }
      return readers
    }
    for reader in readers { reader.bell.ring() }
  }

  func finish() {
    let readers = state.withLock { state in
      state.isFinished = true
      let readers = state.readers.compactMap(\.reader)
      state.readers = []
      for reader in readers { reader.finish() }
      return readers
    }
    for reader in readers { reader.bell.ring() }
  }
}

extension ImageTask.Event {
  fileprivate var isProgress: Bool { if case .progress = self { true } else { false } }

  fileprivate func isOfTheKind(of other: ImageTask.Event) -> Bool {
    switch (self, other) {
    case (.progress, .progress), (.preview, .preview), (.cached, .cached): true
    default: false
    }
  }
}
