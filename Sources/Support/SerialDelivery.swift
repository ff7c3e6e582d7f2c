/// Delivers messages from many threads to one receiver, in order and one at a time.
///
/// Posting is allowed under a lock. Delivering is not, because the receiver may be user code.
package final class SerialDelivery<Message: Sendable>: Sendable {
  private struct State {
    var waiting: [Message] = []
    /// Closures to call after the messages that were posted before them.
    var behind: [@Sendable () -> Void] = []
    var isDelivering = false
  }

  private let receive: @Sendable (Message) -> Void
  private let replaces: (@Sendable (Message, Message) -> Bool)?
  private let state = Locked(State())

  /// Passes messages to `receive`, one at a time and in order.
  ///
  /// If `replaces(new, waiting)` returns true for a new message, the waiting message is removed.
  package init(
    replacing replaces: (@Sendable (Message, Message) -> Bool)? = nil,
    _ receive: @escaping @Sendable (Message) -> Void
  ) {
    self.replaces = replaces
    self.receive = receive
  }

  package func post(_ message: Message) {
    state.withLock { state in
      if let replaces, !state.waiting.isEmpty { state.waiting.removeAll { replaces(message, $0) } }
      state.waiting.append(message)
    }
  }

  /// Delivers the posted messages; returns false if another caller delivers them.
  ///
  /// Only one caller delivers at a time; it also delivers messages that others post meanwhile.
  @discardableResult
  package func deliver() -> Bool {
    let mayStart = state.withLock { state in
      guard !state.isDelivering else { return false }
      state.isDelivering = true
      return true
    }
    guard mayStart else { return false }
    while let (messages, behind) = next() {
      for message in messages { receive(message) }
      for body in behind { body() }
    }
    return true
  }

  /// Makes the caller that is delivering call `body` after the messages posted so far.
  ///
  /// Returns false, and does not keep `body`, if nobody is delivering.
  package func callBehind(_ body: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      if state.isDelivering { state.behind.append(body) }
      return state.isDelivering
    }
  }

  /// Delivers the posted messages, or waits until another caller has delivered them.
  package func deliverAll() async {
    guard !deliver() else { return }
    await withUnsafeContinuation { continuation in
      if !callBehind({ continuation.resume() }) { continuation.resume() }
    }
  }

  private func next() -> ([Message], [@Sendable () -> Void])? {
    state.withLock { state in
      guard !state.waiting.isEmpty || !state.behind.isEmpty else {
        state.isDelivering = false
        return nil
      }
      defer { (state.waiting, state.behind) = ([], []) }
      return (state.waiting, state.behind)
    }
  }
}
