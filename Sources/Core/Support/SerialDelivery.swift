/// Delivers messages from many threads to one receiver, in order and one at a time.
///
/// Posting is allowed under a lock. Delivering is not, because the receiver may be user code.
final class SerialDelivery<Message: Sendable>: Sendable {
  private struct State {
    var waiting: [Message] = []
    var isDelivering = false
  }

  private let receive: @Sendable (Message) -> Void
  private let replaces: (@Sendable (Message, Message) -> Bool)?
  private let state = Locked(State())

  /// Creates a mailbox.
  ///
  /// A new message, the first argument of `replaces`, removes each waiting message for which `replaces` returns true.
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

  /// Delivers the posted messages.
  ///
  /// Only one caller delivers at a time; it also drains what others post.
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
