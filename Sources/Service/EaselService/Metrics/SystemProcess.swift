import EaselCore
import EaselSupport
import FoundationEssentials
import Glibc

/// The figures of this process.
package struct SystemProcess: ProcessFigures {
  private let start: Double?
  private let mostChildSeconds = Locked(0.0)

  package init() { start = Self.readStart() }

  package var residentBytes: Int? {
    // The second number is that of resident pages.
    let words = Self.text("/proc/self/statm")?.split(separator: " ") ?? []
    return words.count > 1 ? Int(words[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
  }

  package var processorSeconds: Double? { Self.seconds(of: __rusage_who_t(RUSAGE_SELF.rawValue)) }

  package var childSeconds: Double? {
    // The kernel adds the time of a child to this one when the child has ended and was waited for.
    guard let ended = Self.seconds(of: __rusage_who_t(RUSAGE_CHILDREN.rawValue)) else { return nil }
    let now = ended + Self.livingChildrenSeconds("self")
    // A child that ends while its figures are read may be missed; a counter that falls would count from zero again.
    return mostChildSeconds.withLock { most in
      most = max(most, now)
      return most
    }
  }

  private static func seconds(of processes: __rusage_who_t) -> Double? {
    var usage = rusage()
    guard getrusage(processes, &usage) == 0 else { return nil }
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  /// The time of living children, of those that they have waited for, and of their living children.
  private static func livingChildrenSeconds(_ process: String) -> Double {
    let tasks = names(in: "/proc/\(process)/task")
    // Each thread has children of its own.
    let children = tasks.flatMap { text("/proc/\(process)/task/\($0)/children")?.split(separator: " ") ?? [] }
    return children.reduce(0) { sum, child in
      let words = wordsOfStat(of: String(child))
      // Four times in a row: of itself and of children that have ended, each for the program and for the kernel.
      let ticks = words.count > 14 ? words[11...14].reduce(0) { $0 + (Double($1) ?? 0) } : 0
      return sum + ticks / Double(sysconf(Int32(_SC_CLK_TCK))) + livingChildrenSeconds(String(child))
    }
  }

  package var openDescriptors: Int? {
    let names = Self.names(in: "/proc/self/fd")
    // Without the directory itself.
    return names.isEmpty ? nil : names.count - 1
  }

  package var mostDescriptors: Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return limit.rlim_cur == rlim_t.max ? nil : Int(clamping: limit.rlim_cur)
  }

  package var startSeconds: Double? { start }

  private static func readStart() -> Double? {
    // The start is the 20th word after the name.
    let words = wordsOfStat(of: "self")
    let boot = text("/proc/stat")?.split(separator: "\n").first { $0.hasPrefix("btime ") }?.dropFirst(6)
    guard words.count > 19, let ticks = Double(words[19]), let boot = boot.flatMap({ Double($0) }) else { return nil }
    return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// The words that the kernel tells of a process, after its name.
  private static func wordsOfStat(of process: String) -> [Substring] {
    // The name is in parentheses and may contain spaces.
    guard let stat = text("/proc/\(process)/stat"), let end = stat.lastIndex(of: ")") else { return [] }
    return stat[stat.index(after: end)...].split(separator: " ")
  }

  private static func names(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}
