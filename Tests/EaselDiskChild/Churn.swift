import EaselCore
import EaselDisk
import Glibc

/// Uses a store and prints each acknowledged operation on a line, until the process is killed.
enum Churn {
  static func run(_ directory: String, sizeLimit: Int?, _ random: inout ChildRandom) throws {
    let store = SQLiteDiskStore(
      directory: directory, limits: .init(sizeLimit: sizeLimit), clock: SystemClock(), largestInline: 1000,
      maintenanceInterval: nil)
    var version = 0
    while true {
      let number = Int.random(in: 0..<40, using: &random)
      switch Int.random(in: 0..<40, using: &random) {
      case 0:
        say("C begin")
        try store.removeAll()
        say("C end")
      case 1: try store.trim()
      case 2, 3, 4:
        say("R begin \(number)")
        try store.remove(ChildBody.key(number))
        say("R end \(number)")
      case 6, 7: _ = try store.entry(for: ChildBody.key(number))
      default:
        version += 1
        let count = Int.random(in: 4..<4000, using: &random)
        say("S begin \(number) \(version)")
        try store.store(ChildBody.entry(number: number, version: version, count: count), for: ChildBody.key(number))
        say("S end \(number) \(version)")
      }
    }
  }

  private static func say(_ line: String) {
    var line = "\(line)\n"
    line.withUTF8 { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}
