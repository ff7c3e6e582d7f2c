import EaselCore
import EaselDisk
import EaselSupport
import FoundationEssentials
import Glibc

/// Closes stores and counts the resources that they leave in this process.
enum Ending {
  static func run(_ directory: String, closes: Bool) throws {
    try use(directory, 1, closes: closes)
    let (threads, descriptors) = (count("task"), count("fd"))
    for number in 2..<80 { try use(directory, number, closes: closes) }
    // The threads and wake-up sources that all stores share may have started.
    let most = threads + 4 + sysconf(CInt(_SC_NPROCESSORS_ONLN))
    let mostDescriptors = descriptors + 8
    for _ in 0..<500 where count("task") > most || count("fd") > mostDescriptors { usleep(20_000) }
    guard count("task") <= most, count("fd") <= mostDescriptors else {
      print("\(count("task")) threads, at first \(threads); \(count("fd")) descriptors, at first \(descriptors)")
      exit(1)
    }
  }

  private static let kept = Locked([SQLiteDiskStore]())

  private static func use(_ directory: String, _ number: Int, closes: Bool) throws {
    let store = SQLiteDiskStore(directory: "\(directory)-\(number)")
    try store.store(ChildBody.entry(number: number, version: 1, count: 9000), for: ChildBody.key(number))
    guard try store.entry(for: ChildBody.key(number)) != nil else { exit(1) }
    guard closes else { return }
    store.close()
    kept.withLock { $0.append(store) }
  }

  private static func count(_ what: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(what)"))?.count ?? 0
  }
}
