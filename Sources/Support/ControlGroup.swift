import FoundationEssentials
import Glibc

/// Finds the files of this process's control group.
package enum ControlGroup {
  /// The group of this process in one hierarchy.
  struct Membership {
    /// The controllers of the hierarchy; empty for version 2.
    let controllers: [Substring]
    let isVersion2: Bool
    let group: Substring
  }

  package static let root = "/sys/fs/cgroup"

  /// The text of `/proc/self/cgroup`; nil if the kernel does not show it.
  static var ownMembership: String? { try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8) }

  /// The groups in a text such as `/proc/self/cgroup`.
  static func memberships(in text: String) -> [Membership] {
    text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return nil }
      return Membership(controllers: parts[1].split(separator: ","), isVersion2: parts[0] == "0", group: parts[2])
    }
  }

  /// The folder of a group and those of the groups around it; the innermost is first.
  static func folders(of group: Substring, in base: String) -> [String] {
    // In a container, the named group is often not mounted, and its files are in the top folder.
    guard group != "/", !group.contains(".."), isThere(base + group) else { return [base] }
    var (folders, folder) = ([String](), Substring(base + group))
    while folder.utf8.count > base.utf8.count {
      folders.append(String(folder))
      guard let slash = folder.lastIndex(of: "/") else { break }
      folder = folder[..<slash]
    }
    return folders + [base]
  }

  /// The path of a file of the group (version 2), or else of the same file in the top folder; nil when neither exists.
  package static func path(of file: String) -> String? {
    guard let own = ownMembership.map(memberships)?.first(where: \.isVersion2) else { return nil }
    let folders = folders(of: own.group, in: root)
    return [folders.first, folders.last].compactMap { $0.map { "\($0)/\(file)" } }.first(where: isThere)
  }

  static func isThere(_ path: String) -> Bool { access(path, R_OK) == 0 }
}
