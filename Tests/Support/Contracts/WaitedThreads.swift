import EaselCore
import Glibc

/// The threads of a piece of work, and how long the machine was too busy for them.
final class WaitedThreads: Sendable {
  private struct State {
    /// For each thread that runs a file in which the system counts.
    var running: Set<CInt> = []
    /// The delay of threads that have ended.
    var past = Duration.zero
  }

  private let outer: WaitedThreads?
  private let state = Locked(State())

  /// Creates the threads of work that is a part of other work.
  init(within outer: WaitedThreads?) { self.outer = outer }

  /// Runs `body` on the calling thread, which counts meanwhile.
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

  /// How long the threads were ready to run and had no processor, nothing where the system does not say.
  var delay: Duration {
    state.withLock { state in state.past + (state.running.map(Self.delay).max() ?? .zero) }
  }

  private static func delay(in file: CInt) -> Duration {
    // Nanoseconds on a processor, nanoseconds of waiting for one, and how often it had one.
    let text = String(unsafeUninitializedCapacity: 100) { max(0, pread(file, $0.baseAddress, $0.count, 0)) }
    let numbers = text.split(separator: " ")
    return numbers.count > 1 ? .nanoseconds(Int64(numbers[1]) ?? 0) : .zero
  }
}
