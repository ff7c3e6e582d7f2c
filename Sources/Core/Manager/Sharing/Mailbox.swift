/// Hands messages to one receiver in the order they were posted, one at a time, whoever posts them.
///
/// Posting is allowed under a lock and delivering is not, since the receiver may be code of a user.
final class Mailbox<Message: Sendable>: Sendable {
  private struct State {
    var waiting: [Message] = []
    var isDelivering = false
  }

  private let receive: @Sendable (Message) -> Void
  private let state = Locked(State())

  init(_ receive: @escaping @Sendable (Message) -> Void) { self.receive = receive }

  func post(_ message: Message) { state.withLock { $0.waiting.append(message) } }

  /// Delivers what was posted, unless someone is at it already, who then delivers this as well.
  func deliver() {
    let mayStart = state.withLock { state in
      guard !state.isDelivering else { return false }
      state.isDelivering = true
      return true
    }
    guard mayStart else { return }
    while let messages = next() {
      for message in messages { receive(message) }
    }
  }

  private func next() -> [Message]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isDelivering = false
        return nil
      }
      defer { state.waiting = [] }
      return state.waiting
    }
  }
}
