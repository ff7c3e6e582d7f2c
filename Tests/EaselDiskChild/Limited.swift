import EaselCore
import EaselDisk
import Glibc

/// Uses a directory under a limit of file sizes; by default the system ends a process that exceeds the limit.
enum Limited {
  static func run(_ directory: String, size: UInt, onWorker: Bool) throws {
    let store = SQLiteDiskStore(directory: directory)
    try store.store(ChildBody.entry(number: 1, version: 1, count: 200), for: ChildBody.key(1))
    var limit = rlimit(rlim_cur: size, rlim_max: size)
    guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(2) }
    guard onWorker else { return finish(store) }
    PlainThread.start {
      finish(store)
      exit(0)
    }
    while true { pause() }
  }

  private static func finish(_ store: SQLiteDiskStore) {
    do {
      for number in 2..<200 {
        try store.store(ChildBody.entry(number: number, version: 1, count: 20_000), for: ChildBody.key(number))
      }
      exit(3)
    } catch {
      guard (error as? ImageError)?.code == .cacheFailed else { exit(4) }
    }
    // Closing writes too.
    store.close()
  }
}
