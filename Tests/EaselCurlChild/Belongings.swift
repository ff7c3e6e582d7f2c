import FoundationEssentials

/// The resources of a process.
struct Belongings {
  let descriptors: Int
  let threads: Int
  let residentBytes: Int

  static var now: Belongings {
    func entries(_ path: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? -1 }
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    return Belongings(
      descriptors: entries("/proc/self/fd"), threads: entries("/proc/self/task"),
      residentBytes: (pages.flatMap { Int($0[1]) } ?? 0) * 4096)
  }
}
