import FoundationEssentials
import Glibc

/// Where the control group of this process keeps its files.
package enum ControlGroup {
  /// The path of a file of the group (version 2), nil where there is none.
  package static func path(of file: String) -> String? {
    guard let lines = try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8) else { return nil }
    let unified = lines.split(separator: "\n").first { $0.hasPrefix("0::") }
    guard let group = unified?.dropFirst(3) else { return nil }
    let inside = "/sys/fs/cgroup\(group == "/" ? "" : group)/\(file)"
    // Inside a container the group named is often not mounted, and its files lie at the top.
    return [inside, "/sys/fs/cgroup/\(file)"].first { access($0, R_OK) == 0 }
  }
}
