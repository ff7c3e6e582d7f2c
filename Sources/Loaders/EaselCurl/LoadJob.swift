import EaselCore
import EaselSupport
import Synchronization

/// One load: passes events and decisions between the waiting task and the engine's thread.
final class LoadJob: Sendable {
  /// An event that the thread reports to the task.
  enum Event: Sendable {
    /// Ask the sink whether it accepts this head.
    case head(ResponseHead)
    /// Ask the hook whether to follow this redirect.
    case redirect(CurlLoader.Redirect)
    /// The load is over.
    case end(Result<LoadResult, any Error>)
  }

  /// The task's decision about a head or a redirect.
  enum Decision: Sendable {
    case accepted
    case refused(any Error)
  }

  private struct State {
    var event: Event?
    var waiting: UnsafeContinuation<Void, Never>?
  }

  let request: LoadRequest
  /// Copied from the request: the task has just written it, and reading it there would cost the thread time.
  let url: String
  /// The host in lower case, with the port if it is stated.
  let server: String
  let sink: any LoadSink
  /// The partial body that an earlier load of the same picture left.
  let partial: PartialBody?
  private let state = Locked(State())
  private let wasCancelled = Atomic(false)

  init(request: LoadRequest, url: String, server: String, sink: any LoadSink, partial: PartialBody?) {
    self.server = server
    self.request = request
    self.url = url
    self.sink = sink
    self.partial = partial
  }

  var isCancelled: Bool { wasCancelled.load(ordering: .acquiring) }

  func cancel() { wasCancelled.store(true, ordering: .releasing) }

  /// Stores an event for the task; returns the continuation of the task if it already waits.
  ///
  /// Only the engine's thread calls this. After each event except the last, it waits for the decision.
  func setEvent(_ event: Event) -> UnsafeContinuation<Void, Never>? {
    // Passed under the lock: ThreadSanitizer does not see that a continuation passes a value between threads.
    state.withLock { state in
      state.event = event
      defer { state.waiting = nil }
      return state.waiting
    }
  }

  /// Waits for the next event from the thread.
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
