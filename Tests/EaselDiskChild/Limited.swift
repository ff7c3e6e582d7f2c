import EaselCore
import EaselDisk
import EaselSupport
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

  /// Reads entries while the process can open no file, and again when it can.
  static func readWithoutDescriptors(_ directory: String) throws {
    let store = SQLiteDiskStore(directory: directory)
    let numbers = 1..<50
    for number in numbers {
      try store.store(ChildBody.entry(number: number, version: 1, count: 20_000), for: ChildBody.key(number))
    }
    func isThere(_ number: Int) throws -> Bool {
      try store.entry(for: ChildBody.key(number))?.bytes?.count == 20_000
    }
    guard try numbers.allSatisfy(isThere) else { exit(2) }
    var usual = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual)
    var none = rlimit(rlim_cur: 3, rlim_max: usual.rlim_max)
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none) == 0 else { exit(3) }
    for number in numbers where (try? isThere(number)) == true { exit(4) }
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual) == 0 else { exit(5) }
    guard try numbers.allSatisfy(isThere) else { exit(6) }
    store.close()
  }
}
