import EaselCore
import EaselDisk
import Glibc

/// Stores under keys of its own beside others, and fails when one of them is lost or anything throws.
enum Sharing {
  static func run(_ directory: String, rounds: Int, _ random: inout ChildRandom) throws {
    let store = SQLiteDiskStore(
      directory: directory, clock: SystemClock(), largestInline: 1000, maintenanceInterval: nil)
    let first = Int(getpid()) * 1000
    var versions: [Int: Int] = [:]
    for round in 1...rounds {
      let number = first + Int.random(in: 0..<20, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        try store.remove(ChildBody.key(number))
        versions[number] = nil
      case 1: try store.trim()
      case 2: _ = try store.entry(for: ChildBody.key(Int.random(in: 0..<100_000, using: &random)))
      default:
        let count = Int.random(in: 4..<3000, using: &random)
        try store.store(ChildBody.entry(number: number, version: round, count: count), for: ChildBody.key(number))
        versions[number] = round
      }
      let expected = versions[number].map { UInt64($0) }
      let found = try store.entry(for: ChildBody.key(number))?.record.generation
      guard found == expected else { fail("\(number) should be \(expected as Any) and is \(found as Any)") }
    }
    for (number, version) in versions {
      guard try store.entry(for: ChildBody.key(number))?.record.generation == UInt64(version) else {
        fail("\(number) of version \(version) is lost")
      }
    }
  }

  private static func fail(_ message: String) -> Never {
    var message = "\(message)\n"
    message.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(1)
  }
}
