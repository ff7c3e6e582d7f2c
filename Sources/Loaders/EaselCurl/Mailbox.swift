import CEaselCurl
import EaselCore

/// What other threads want of the thread of transfers, and how they wake it.
final class Mailbox: Sendable {
  enum Command: Sendable {
    case start(LoadJob)
    case cancel(LoadJob)
    case answer(LoadJob, LoadJob.Answer)
    case resume(LoadJob)
    case prioritize(LoadJob, LoadPriority)
    case suspend(Bool)
    case allow(transfers: Int)
    case forgetCookies
    case close
  }

  private struct State {
    var commands: [Command] = []
    var startCount = 0
    var isWaiting = false
    var isClosed = false
    var mourners: [UnsafeContinuation<Void, Never>] = []
    var hasEnded = false
  }

  private let state = Locked(State())
  let wakeup: CInt

  /// Nil when the system has no descriptor left.
  init?() {
    wakeup = easel_wakeup_open()
    guard wakeup >= 0 else { return nil }
  }

  deinit { easel_wakeup_close(wakeup) }

  /// Hands a command over; false when nobody will take it any more.
  @discardableResult
  func post(_ command: Command) -> Bool {
    let (isOpen, mustWake) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      switch command {
      case .start: state.startCount += 1
      case .close: state.isClosed = true
      default: break
      }
      state.commands.append(command)
      defer { state.isWaiting = false }
      return (true, state.isWaiting)
    }
    // One wake-up is enough for all that is posted until the thread looks.
    if mustWake { easel_wakeup_signal(wakeup) }
    return isOpen
  }

  /// How many loads were handed over so far.
  var startCount: Int { state.withLock { $0.startCount } }

  /// Takes what was posted, in order; `commands` must be empty and gives its memory in return.
  func take(into commands: inout [Command]) {
    state.withLock { state in
      state.isWaiting = false
      if !state.commands.isEmpty { swap(&state.commands, &commands) }
    }
  }

  /// Whether the thread may go to sleep; from then on, a command wakes it.
  func mayWait() -> Bool {
    state.withLock { state in
      state.isWaiting = state.commands.isEmpty
      return state.isWaiting
    }
  }

  /// Says that the thread is gone.
  func end() {
    let mourners = state.withLock { state in
      state.isClosed = true
      state.hasEnded = true
      defer { state.mourners = [] }
      return state.mourners
    }
    for mourner in mourners { mourner.resume() }
  }

  /// Waits until the thread is gone.
  func waitForEnd() async {
    await withUnsafeContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.hasEnded { state.mourners.append(continuation) }
        return state.hasEnded
      }
      if isOver { continuation.resume() }
    }
  }
}
