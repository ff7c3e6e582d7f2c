import CEaselCurl
import EaselCore
import EaselSupport

/// Passes commands from other threads to the engine's thread, and wakes it.
final class CommandQueue: Sendable {
  enum Command: Sendable {
    case start(LoadJob)
    case cancel(LoadJob)
    case decide(LoadJob, LoadJob.Decision)
    case resume(LoadJob)
    case prioritize(LoadJob, LoadPriority)
    case suspend(Bool)
    case limit(transfers: Int)
    case forgetCookies
    case close
  }

  private struct State {
    var commands: [Command] = []
    var startCount = 0
    var isWaiting = false
    var isClosed = false
    var hasEnded = false
    var tasksWaitingForEnd: [UnsafeContinuation<Void, Never>] = []
  }

  private let state = Locked(State())
  let wakeup: CInt

  /// Returns nil when no file descriptor is left.
  init?() {
    wakeup = easel_wakeup_open()
    guard wakeup >= 0 else { return nil }
  }

  deinit { easel_wakeup_close(wakeup) }

  /// Adds a command; returns false when the thread takes no more commands.
  @discardableResult
  func add(_ command: Command) -> Bool {
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
    // One wake-up is enough for all commands that are added before the thread looks.
    if mustWake { easel_wakeup_signal(wakeup) }
    return isOpen
  }

  /// The number of loads that were added so far.
  var startCount: Int { state.withLock { $0.startCount } }

  /// Moves all commands into `commands`, in order.
  ///
  /// `commands` must be empty; its memory is reused.
  func takeAll(into commands: inout [Command]) {
    state.withLock { state in
      state.isWaiting = false
      if !state.commands.isEmpty { swap(&state.commands, &commands) }
    }
  }

  /// Returns true when the thread may sleep; the next command then wakes it.
  func prepareToWait() -> Bool {
    state.withLock { state in
      state.isWaiting = state.commands.isEmpty
      return state.isWaiting
    }
  }

  /// Marks the thread as ended.
  func end() {
    let tasks = state.withLock { state in
      state.isClosed = true
      state.hasEnded = true
      defer { state.tasksWaitingForEnd = [] }
      return state.tasksWaitingForEnd
    }
    for task in tasks { task.resume() }
  }

  /// Waits until the thread has ended.
  func waitForEnd() async {
    await withUnsafeContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.hasEnded { state.tasksWaitingForEnd.append(continuation) }
        return state.hasEnded
      }
      if isOver { continuation.resume() }
    }
  }
}
