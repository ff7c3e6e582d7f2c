import CEaselSandbox
import EaselCore
import EaselSupport

/// Tells that a child has begun with its picture, and how it ended.
///
/// The child can only say that it begins, before it sees its picture. The rest comes from the server.
final class ChildEnd: Sendable {
  let socket: Descriptor

  private struct State {
    var hasBegun = false
    var isOver = false
    /// The way the child ended; nil if its server ended before it.
    var exit: ChildExit?
  }

  private let state = Locked(State())

  init(_ socket: Descriptor) { self.socket = socket }

  /// True if the child has begun with its picture.
  var hasBegun: Bool {
    look()
    return state.withLock { $0.hasBegun }
  }

  /// True if the child has ended, or ends within this number of milliseconds.
  func isOver(within milliseconds: CInt) -> Bool {
    if look() { return true }
    // The sign that the child begins may come first.
    while milliseconds > 0, easel_sandbox_wait_readable(socket.number, milliseconds) == 1 {
      if look() { return true }
    }
    return false
  }

  /// The end of the child; nil if the child still runs, or if its server has ended.
  func exit(within milliseconds: CInt) -> ChildExit? {
    guard isOver(within: milliseconds) else { return nil }
    return state.withLock { $0.exit }
  }

  /// Reads what has arrived; returns true if the child has ended.
  @discardableResult
  private func look() -> Bool {
    state.withLock { state in
      guard !state.isOver else { return true }
      var record = easel_sandbox_end()
      let result = easel_sandbox_read_end(socket.number, &record, &state.hasBegun)
      state.isOver = result != 0
      if result == 1 { state.exit = ChildExit(record) }
      return state.isOver
    }
  }
}
