/// Hands messages to one receiver in the order they were posted, one at a time, whoever posts them.
///
/// Posting is allowed under a lock and delivering is not, since the receiver may be code of a user.
final class SerialDelivery<Message: Sendable>: Sendable {
  private struct State {
    var waiting: [Message] = []
    var isDelivering = false
  }

  private let receive: @Sendable (Message) -> Void
  private let replaces: (@Sendable (Message, Message) -> Bool)?
  private let state = Locked(State())

  /// Creates a mailbox; `replaces` says which of those that wait is void when a new one, its first argument, comes.
  init(
    replacing replaces: (@Sendable (Message, Message) -> Bool)? = nil,
    _ receive: @escaping @Sendable (Message) -> Void
  ) {
    self.replaces = replaces
    self.receive = receive
  }

  func post(_ message: Message) {
    state.withLock { state in
      if let replaces, !state.waiting.isEmpty { state.waiting.removeAll { replaces(message, $0) } }
      state.waiting.append(message)
    }
  }

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
