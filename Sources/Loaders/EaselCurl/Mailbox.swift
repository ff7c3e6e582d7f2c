import CEaselCurl
import EaselCore

/// Passes commands from other threads to the engine's thread and wakes it.
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

  /// Nil when no file descriptor is left.
  init?() {
    wakeup = easel_wakeup_open()
    guard wakeup >= 0 else { return nil }
  }

  deinit { easel_wakeup_close(wakeup) }

  /// Adds a command; false when the thread no longer takes commands.
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
    // One wake-up is enough for all commands posted before the thread looks.
    if mustWake { easel_wakeup_signal(wakeup) }
    return isOpen
  }

  /// The number of loads posted so far.
  var startCount: Int { state.withLock { $0.startCount } }

  /// Moves the posted commands into `commands`, in order.
  ///
  /// `commands` must be empty; its memory is reused.
  func take(into commands: inout [Command]) {
    state.withLock { state in
      state.isWaiting = false
      if !state.commands.isEmpty { swap(&state.commands, &commands) }
    }
  }

  /// True when the thread may sleep; after that, a command wakes it.
  func mayWait() -> Bool {
    state.withLock { state in
      state.isWaiting = state.commands.isEmpty
      return state.isWaiting
    }
  }

  /// Marks the thread as ended.
  func end() {
    let mourners = state.withLock { state in
      state.isClosed = true
      state.hasEnded = true
      defer { state.mourners = [] }
      return state.mourners
    }
    for mourner in mourners { mourner.resume() }
  }

  /// Waits until the thread has ended.
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
