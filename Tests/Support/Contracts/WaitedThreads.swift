import EaselCore
import EaselSupport
import Glibc

/// The threads of a piece of work, and the time for which they waited for a processor.
final class WaitedThreads: Sendable {
  private struct State {
    /// For each running thread, the file with the system's statistics.
    var running: Set<CInt> = []
    /// The delay of ended threads.
    var past = Duration.zero
  }

  private let outer: WaitedThreads?
  private let state = Locked(State())

  /// Creates the threads of work that is part of other work.
  init(within outer: WaitedThreads?) { self.outer = outer }

  /// Runs `body` on the calling thread, which is counted meanwhile.
  func whileCounted<Result>(_ body: () -> Result) -> Result {
    let file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
    state.withLock { _ = $0.running.insert(file) }
    defer {
      state.withLock { state in
        state.running.remove(file)
        state.past += Self.delay(in: file)
        close(file)
      }
    }
    return outer?.whileCounted(body) ?? body()
  }

  /// The time for which the threads were ready but had no processor; zero if the system does not report it.
  var delay: Duration {
    state.withLock { state in state.past + (state.running.map(Self.delay).max() ?? .zero) }
  }

  private static func delay(in file: CInt) -> Duration {
    // The file has the nanoseconds on a processor, the nanoseconds of waiting, and the number of time slices.
    let text = String(unsafeUninitializedCapacity: 100) { max(0, pread(file, $0.baseAddress, $0.count, 0)) }
    let numbers = text.split(separator: " ")
    return numbers.count > 1 ? .nanoseconds(Int64(numbers[1]) ?? 0) : .zero
  }
}
