import EaselCore
import EaselSupport
import FoundationEssentials
import Glibc

/// Measures the memory of a process group every few milliseconds.
///
/// The figure is the resident memory of all its processes. Pages that several of them map are divided among them (PSS),
/// so that memory shared by a pool of processes counts once.
final class GroupMemory: Sendable {
  private struct State {
    var peak = 0
    var isStopped = false
    var whenStopped: UnsafeContinuation<Void, Never>?
    var hasEnded = false
  }

  private let state = Locked(State())

  init(group: pid_t) {
    PlainThread.start { [state] in
      while !state.withLock({ $0.isStopped }) {
        let bytes = Self.bytes(ofGroup: group)
        state.withLock { $0.peak = max($0.peak, bytes) }
        usleep(3000)
      }
      let waiting = state.withLock { state in
        state.hasEnded = true
        return state.whenStopped
      }
      waiting?.resume()
    }
  }

  /// Ends the measurement and returns the peak; nil if the kernel does not report it.
  func stop() async -> Int? {
    await withUnsafeContinuation { continuation in
      let hasEnded = state.withLock { state in
        state.isStopped = true
        state.whenStopped = continuation
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
    let peak = state.withLock { $0.peak }
    return peak > 0 ? peak : nil
  }

  private static func bytes(ofGroup group: pid_t) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { getpgid($0) == group }.reduce(0) { $0 + proportionalBytes($1) }
  }

  private static func proportionalBytes(_ process: pid_t) -> Int {
    let text = (try? String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("Pss:") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
  }
}
