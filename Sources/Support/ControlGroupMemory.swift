import FoundationEssentials
import Glibc

/// Reads from the kernel how much memory this process's control group has and uses, in version 2 or 1.
///
/// The group and all groups around it count, because any of them may have the least room.
package struct ControlGroupMemory: Sendable {
  /// The memory of one group that has a limit.
  package struct Use: Hashable, Sendable {
    /// The bytes that processes hold, without file pages, which the kernel drops when it needs room.
    package var usedBytes: Int
    package var limitBytes: Int

    package init(usedBytes: Int, limitBytes: Int) {
      self.usedBytes = usedBytes
      self.limitBytes = limitBytes
    }
  }

  /// The names of a version's files.
  private struct Names: Sendable {
    let limit: String
    let used: String
    /// The fields of `memory.stat` that count file pages.
    let filePages: [String]
  }

  private static let version2 = Names(
    limit: "memory.max", used: "memory.current", filePages: ["inactive_file", "active_file"])
  private static let version1 = Names(
    limit: "memory.limit_in_bytes", used: "memory.usage_in_bytes",
    filePages: ["total_inactive_file", "total_active_file"])

  private let names: Names
  /// The folder of the group, and those of the groups around it.
  private let folders: [String]

  /// Finds the group of this process; nil if the kernel shows none.
  package init?() {
    guard let membership = ControlGroup.ownMembership else { return nil }
    self.init(membership: membership)
  }

  /// Finds the group in the text of `/proc/self/cgroup`.
  package init?(membership: String, root: String = ControlGroup.root) {
    var groups: [(names: Names, base: String, group: Substring)] = []
    for own in ControlGroup.memberships(in: membership) {
      if own.controllers.contains("memory") {
        groups.insert((Self.version1, root + "/memory", own.group), at: 0)
      } else if own.isVersion2 {
        groups.append((Self.version2, root, own.group))
      }
    }
    for (names, base, group) in groups {
      let folders = ControlGroup.folders(of: group, in: base).filter { ControlGroup.isThere("\($0)/\(names.limit)") }
      guard !folders.isEmpty else { continue }
      self.names = names
      self.folders = folders
      return
    }
    return nil
  }

  /// The memory of the machine, or the limit of the control group if that is less.
  ///
  /// It is read once, because every program asks several times as it starts.
  package static let available: Int = {
    let bytes = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    return min(bytes > 0 ? bytes : 1 << 30, ControlGroupMemory()?.limitBytes ?? .max)
  }()

  /// The lowest limit; nil if no group has one.
  package var limitBytes: Int? { folders.compactMap(limit).min() }

  /// The memory of the group that has the least room; nil if no group has a limit.
  package var use: Use? {
    var tightest: Use?
    for folder in folders {
      guard let limit = limit(of: folder), let used = used(in: folder) else { continue }
      let use = Use(usedBytes: used, limitBytes: limit)
      if tightest.map({ limit - used < $0.limitBytes - $0.usedBytes }) ?? true { tightest = use }
    }
    return tightest
  }

  private func limit(of folder: String) -> Int? {
    // If there is no limit, version 2 says `max`, and version 1 gives a number that no machine has.
    Self.number(in: "\(folder)/\(names.limit)").flatMap { $0 < 1 << 60 ? $0 : nil }
  }

  private func used(in folder: String) -> Int? {
    guard let total = Self.number(in: "\(folder)/\(names.used)") else { return nil }
    guard let text = Self.text("\(folder)/memory.stat") else { return total }
    var files = 0
    for line in text.split(separator: "\n") {
      guard let space = line.firstIndex(of: " "), names.filePages.contains(String(line[..<space])) else { continue }
      files += Int(line[line.index(after: space)...]) ?? 0
    }
    return max(0, total - files)
  }

  private static func number(in path: String) -> Int? {
    text(path)?.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
  }

  private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}
