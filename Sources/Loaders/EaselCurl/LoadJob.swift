import EaselCore
import Synchronization

/// One load: what passes between the task that waits for it and the thread that does it.
final class LoadJob: Sendable {
  /// What the thread has to say.
  enum Event: Sendable {
    /// The sink must be asked whether it takes this head.
    case head(ResponseHead)
    /// The hook must be asked whether this redirect is followed.
    case redirect(Redirect)
    /// The load is over.
    case end(Result<LoadResult, any Error>)
  }

  /// What the task answers to a head or a redirect.
  enum Answer: Sendable {
    case accepted
    case refused(any Error)
  }

  private struct State {
    var event: Event?
    var waiting: UnsafeContinuation<Void, Never>?
  }

  let request: LoadRequest
  /// What the thread would else have to fetch from where the task wrote it a moment ago.
  let url: String
  let firstPriority: LoadPriority
  /// The server, lower case.
  let host: String
  let sink: any LoadSink
  /// What was kept of an earlier load of the same.
  let partial: PartialBody?
  private let state = Locked(State())
  private let wasCancelled = Atomic(false)

  init(request: LoadRequest, url: String, host: String, sink: any LoadSink, partial: PartialBody?) {
    self.host = host
    self.request = request
    self.url = url
    firstPriority = request.priority.value
    self.sink = sink
    self.partial = partial
  }

  var isCancelled: Bool { wasCancelled.load(ordering: .acquiring) }

  func cancel() { wasCancelled.store(true, ordering: .releasing) }

  /// Puts down what the task is to hear, and returns what wakes the task if it waits already.
  ///
  /// Called by one thread, which waits for the answer to each event but the last.
  func put(_ event: Event) -> UnsafeContinuation<Void, Never>? {
    // Handed over under the lock and not by the continuation, which ThreadSanitizer does not see.
    state.withLock { state in
      state.event = event
      defer { state.waiting = nil }
      return state.waiting
    }
  }

  /// Waits for what the thread says next.
  nonisolated(nonsending) func nextEvent() async -> Event {
    await withUnsafeContinuation { continuation in
      let isThere = state.withLock { state in
        guard state.event == nil else { return true }
        state.waiting = continuation
        return false
      }
      if isThere { continuation.resume() }
    }
    return state.withLock { $0.event.take()! }
  }
}
