import EaselCore
import EaselSupport

/// Hears how a claim ends, for one task that waits.
final class ClaimSubscriber: Sendable {
  /// The news of a channel.
  enum Event: Sendable {
    /// The server has confirmed that messages come from now on.
    case ready
    case message(String)
    /// No messages come any more.
    case lost
  }

  private struct State {
    var isReady = false
    var messages: [ClaimMessage.Ending] = []
    var hasNews = false
    var isOver = false
    var isTimeUp = false
    var wake: CheckedContinuation<Void, Never>?
  }

  private let name: String
  private let key: CacheKey
  private let state = Locked(State())

  init(_ name: String, about key: CacheKey) {
    self.name = name
    self.key = key
  }

  /// True if the end of a claim was heard since this was last asked.
  var hasNews: Bool {
    state.withLock { state in
      defer { state.hasNews = false }
      return state.hasNews
    }
  }

  /// True when nobody waits any more.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// The failure that was heard; nil if there was none.
  var failure: ImageError? {
    state.withLock { state in
      for message in state.messages {
        if case .failed(let error) = message { return error }
      }
      return nil
    }
  }

  func close() { state.withLock { $0.isOver = true } }

  func receive(_ event: Event) {
    let wake = state.withLock { state -> CheckedContinuation<Void, Never>? in
      switch event {
      case .ready, .lost: state.isReady = true
      case .message(let text):
        guard let message = ClaimMessage(text, about: key), message.claim == name else { return nil }
        state.messages.append(message.outcome)
        state.hasNews = true
      }
      return state.wake.take()
    }
    wake?.resume()
  }

  /// Waits until messages come, or until it is known that none will come.
  func isReady() async { while !Task.isCancelled, !state.withLock({ $0.isReady }) { await wait { $0.isReady } } }

  /// The next message; nil if none comes in time.
  func message(within limit: Duration, by clock: any ImageClock) async -> ClaimMessage.Ending? {
    state.withLock { $0.isTimeUp = false }
    let alarm = Task { [self] in
      try await clock.sleep(for: limit)
      endWait()
    }
    defer { alarm.cancel() }
    await wait { $0.isTimeUp || !$0.messages.isEmpty }
    return state.withLock { $0.messages.isEmpty ? nil : $0.messages.removeFirst() }
  }

  /// Ends the wait for a message, also one that has not quite begun.
  private func endWait() {
    let wake = state.withLock { state in
      state.isTimeUp = true
      return state.wake.take()
    }
    wake?.resume()
  }

  /// Waits once: until something is heard, or the task is cancelled, or somebody wakes it.
  private func wait(unless isDone: @Sendable @escaping (State) -> Bool) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state in
          guard !isDone(state), !Task.isCancelled else { return false }
          state.wake = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.wake.take() }?.resume()
    }
  }
}
