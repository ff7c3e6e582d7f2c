import EaselCore
import EaselSupport

/// Passes the events of one load to the tasks that iterate over them.
///
/// A picture may take hundreds of megabytes, so only the newest preview is kept for a slow reader. Progress reports are
/// small: up to 16 are kept, after that only the newest.
final class EventChannel: Sendable {
  /// The events that one iterating task has not yet fetched.
  private final class Reader: Sendable {
    let signal = WakeSignal()
    private let state: Locked<(waiting: [ImageTask.Event], isFinished: Bool)>

    /// The maximum number of progress reports that are kept.
    private static let mostReports = 16

    init(_ past: [ImageTask.Event], isFinished: Bool) { state = Locked((past, isFinished)) }

    func add(_ event: ImageTask.Event) {
      state.withLock { state in
        let mayQueue = event.isProgress && state.waiting.count { $0.isProgress } < Self.mostReports
        if !mayQueue { state.waiting.removeAll { $0.isSameKind(as: event) } }
        state.waiting.append(event)
      }
    }

    func finish() { state.withLock { $0.isFinished = true } }

    func next() -> UnbufferedStream.Next<ImageTask.Event> {
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
    // The references are weak, so that no events are kept for a sequence that nobody reads any more.
    var readers: [WeakReader] = []
    var progress: ImageTask.Event?
    var cached: ImageTask.Event?
    var preview: ImageTask.Event?
    var isFinished = false
  }

  private let state = Locked(State())

  /// A stream that begins with the newest past event of each kind and continues with all later events.
  func stream() -> AsyncStream<ImageTask.Event> {
    let reader = state.withLock { state in
      let past = [state.cached, state.progress, state.preview].compactMap { $0 }
      let reader = Reader(past, isFinished: state.isFinished)
      if !state.isFinished { state.readers.append(WeakReader(reader: reader)) }
      return reader
    }
    return UnbufferedStream.make(reader.signal) { reader.next() }
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
    for reader in readers { reader.signal.wake() }
  }

  func finish() {
    let readers = state.withLock { state in
      state.isFinished = true
      let readers = state.readers.compactMap(\.reader)
      state.readers = []
      for reader in readers { reader.finish() }
      return readers
    }
    for reader in readers { reader.signal.wake() }
  }
}

extension ImageTask.Event {
  fileprivate var isProgress: Bool { if case .progress = self { true } else { false } }

  fileprivate func isSameKind(as other: ImageTask.Event) -> Bool {
    switch (self, other) {
    case (.progress, .progress), (.preview, .preview), (.cached, .cached): true
    default: false
    }
  }
}
