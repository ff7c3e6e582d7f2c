import FoundationEssentials
import Glibc

/// Finds the files of this process's control group.
package enum ControlGroup {
  /// The path of a file of the group (version 2); nil when it does not exist.
  package static func path(of file: String) -> String? {
    guard let lines = try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8) else { return nil }
    let unified = lines.split(separator: "\n").first { $0.hasPrefix("0::") }
    guard let group = unified?.dropFirst(3) else { return nil }
    let inside = "/sys/fs/cgroup\(group == "/" ? "" : group)/\(file)"
    // In a container the named group is often not mounted, and its files are at the top.
    return [inside, "/sys/fs/cgroup/\(file)"].first { access($0, R_OK) == 0 }
  }
}
