import FoundationEssentials
import Glibc

/// The figures of a process that its operator watches; nil for one that cannot be read.
package protocol ProcessFigures: Sendable {
  var residentBytes: Int? { get }
  var processorSeconds: Double? { get }
  var openDescriptors: Int? { get }
  var mostDescriptors: Int? { get }
  var startSeconds: Double? { get }
}

/// The figures of this process.
package struct SystemProcess: ProcessFigures {
  private let start: Double?

  package init() { start = Self.readStart() }

  package var residentBytes: Int? {
    // The second number is that of resident pages.
    let words = Self.text("/proc/self/statm")?.split(separator: " ") ?? []
    return words.count > 1 ? Int(words[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
  }

  package var processorSeconds: Double? {
    var usage = rusage()
    guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  package var openDescriptors: Int? {
    guard let directory = opendir("/proc/self/fd") else { return nil }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    // Without ".", ".." and the directory itself.
    return max(0, count - 3)
  }

  package var mostDescriptors: Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return limit.rlim_cur == rlim_t.max ? nil : Int(clamping: limit.rlim_cur)
  }

  package var startSeconds: Double? { start }

  private static func readStart() -> Double? {
    // The name of the program is in parentheses and may contain spaces; the start is the 20th word after it.
    guard let stat = text("/proc/self/stat"), let end = stat.lastIndex(of: ")") else { return nil }
    let words = stat[stat.index(after: end)...].split(separator: " ")
    let boot = text("/proc/stat")?.split(separator: "\n").first { $0.hasPrefix("btime ") }?.dropFirst(6)
    guard words.count > 19, let ticks = Double(words[19]), let boot = boot.flatMap({ Double($0) }) else { return nil }
    return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}
