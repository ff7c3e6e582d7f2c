import EaselCore
import FoundationEssentials
import Glibc

/// Tells how much memory this process may use.
public enum MemoryBudget {
  /// The memory of the machine, or less when a control group limits the process.
  public static var available: Int {
    let limits = ControlGroup.path(of: "memory.max").map { groupLimits(from: $0) } ?? []
    return limits.reduce(physical, min)
  }

  /// The default cost limit of a store: a quarter of the available memory.
  public static var defaultCostLimit: Int { available / 4 }

  private static var physical: Int {
    let bytes = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    return bytes > 0 ? bytes : 1 << 30
  }

  /// The limits of the group and of all its parents; any of them may be the smallest.
  package static func groupLimits(from path: String, root: String = "/sys/fs/cgroup") -> [Int] {
    guard let slash = path.lastIndex(of: "/") else { return [] }
    let file = path[slash...]
    var group = path[..<slash]
    var found: [Int] = []
    while group.count >= root.count {
      if let text = try? String(contentsOfFile: "\(group)\(file)", encoding: .utf8), let limit = limit(in: text) {
        found.append(limit)
      }
      guard let parent = group.lastIndex(of: "/") else { break }
      group = group[..<parent]
    }
    return found
  }

  /// The number in a limit file; nil for `max`.
  private static func limit(in text: String) -> Int? {
    text.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
  }
}
