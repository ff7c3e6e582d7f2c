import EaselCore
import EaselSupport

/// Receives the messages about the end of a claim, for one task that waits.
final class ClaimSubscriber: Sendable {
  /// An event of a channel.
  enum Event: Sendable {
    /// The server has confirmed that it will send messages from now on.
    case ready
    case message(String)
    /// No more messages will come.
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

  /// True if a message has come since this was last read.
  var hasNews: Bool {
    state.withLock { state in
      defer { state.hasNews = false }
      return state.hasNews
    }
  }

  /// True when nobody waits any more.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// The failure in a message that has come; nil if there was none.
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

  /// Waits until the server sends messages, or until it is certain that none will come.
  func isReady() async { while !Task.isCancelled, !state.withLock({ $0.isReady }) { await wait { $0.isReady } } }

  /// Waits for the next message; returns nil if none comes in time.
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

  /// Ends the wait for a message, even if the wait has not quite begun.
  private func endWait() {
    let wake = state.withLock { state in
      state.isTimeUp = true
      return state.wake.take()
    }
    wake?.resume()
  }

  /// Waits once, until an event comes, the task is cancelled, or ``endWait()`` is called.
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
