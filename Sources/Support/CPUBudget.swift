import FoundationEssentials
import Glibc
import Synchronization

/// Tells how many processors this process may keep busy.
package enum CPUBudget {
  /// The smaller of the limits by affinity and by control group; at least one.
  package static let processors =
    isOneThread ? 1 : min(allowedByAffinity(), allowedByControlGroup() ?? .max)

  /// True when this process must not start a second thread.
  package static var isOneThread: Bool { oneThread.load(ordering: .acquiring) }

  private static let oneThread = Atomic(false)

  /// Forbids this process to start a second thread; call it before ``processors`` is read.
  package static func allowOneThread() { oneThread.store(true, ordering: .releasing) }

  /// True if another thread would probably find a processor at once.
  ///
  /// It asks the system, which takes some 20 microseconds: so it is a question for work of several milliseconds.
  package static var hasIdleProcessor: Bool {
    guard processors > 1, let load = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8) else { return false }
    return hasIdleProcessor(of: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), load: load)
  }

  /// True if a `loadavg` file tells of fewer threads that run, or could, than there are processors.
  package static func hasIdleProcessor(of count: Int, load: String) -> Bool {
    let words = load.split(separator: " ")
    guard words.count > 3, let running = words[3].split(separator: "/").first.flatMap({ Int($0) }) else { return false }
    return running < count
  }

  private static func allowedByAffinity() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    return processors(allowedIn: status) ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// The number of processors in the affinity mask of a process status file; nil when it has none.
  package static func processors(allowedIn status: String) -> Int? {
    let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
    guard let mask = line?.split(whereSeparator: \.isWhitespace).dropFirst().last else { return nil }
    let count = mask.compactMap(\.hexDigitValue).reduce(0) { $0 + $1.nonzeroBitCount }
    return count > 0 ? count : nil
  }

  private static func allowedByControlGroup() -> Int? {
    guard let path = ControlGroup.path(of: "cpu.max"), let text = try? String(contentsOfFile: path, encoding: .utf8)
    else { return nil }
    return processors(inQuota: text)
  }

  /// The number of processors that a `cpu.max` file ("QUOTA PERIOD") allows, rounded up; nil for no limit.
  package static func processors(inQuota text: String) -> Int? {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]), quota > 0, period > 0 else {
      return nil
    }
    return max(1, (quota + period - 1) / period)
  }
}
