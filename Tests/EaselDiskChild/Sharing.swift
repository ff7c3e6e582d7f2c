import EaselCore
import EaselDisk
import Glibc

/// Stores entries under its own keys beside other processes; fails when an entry is lost or a call throws.
struct Sharing {
  private struct Kept {
    var version: Int
    /// The number of beginnings and ends of clearings before the entry was stored.
    var clearings: Int
  }

  private let directory: String
  private let store: SQLiteDiskStore
  /// True for the process that sometimes clears the store.
  private let clears: Bool
  private let first = Int(getpid()) * 1000
  private var kept: [Int: Kept] = [:]
  private var random: ChildRandom

  init(_ directory: String, clears: Bool, _ random: ChildRandom) {
    self.directory = directory
    self.clears = clears
    self.random = random
    store = SQLiteDiskStore(
      directory: directory, clock: SystemClock(), largestInline: 1000, maintenanceInterval: nil)
  }

  /// Runs this many rounds, and at least this many seconds.
  mutating func run(rounds: Int, seconds: Int) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    var round = 0
    while round < rounds || ContinuousClock.now < end {
      round += 1
      try work(round)
    }
    for number in kept.keys { try check(number) }
  }

  private mutating func work(_ round: Int) throws {
    let number = first + Int.random(in: 0..<20, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0 where clears: try clear()
    case 0..<10:
      try store.remove(ChildBody.key(number))
      kept[number] = nil
    case 10..<20: try store.trim()
    case 20..<30: _ = try store.entry(for: ChildBody.key(Int.random(in: 0..<100_000, using: &random)))
    case 30..<35: _ = try (store.count(), store.totalSize(), store.contains(ChildBody.key(number)))
    default:
      let clearings = clearingCount
      try store.store(ChildBody.entry(number: number, version: round, count: size), for: ChildBody.key(number))
      kept[number] = Kept(version: round, clearings: clearings)
    }
    try check(number)
  }

  private var size: Int {
    mutating get { Int.random(in: 4..<3000, using: &random) }
  }

  /// Clears the store; the beginning and the end each append a byte to a file that all processes see.
  private func clear() throws {
    noteClearing()
    try store.removeAll()
    noteClearing()
  }

  private func noteClearing() {
    let descriptor = open("\(directory).clearings", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    guard write(descriptor, "x", 1) == 1 else { Self.fail("a clearing cannot be noted") }
    close(descriptor)
  }

  private var clearingCount: Int {
    var status = stat()
    return stat("\(directory).clearings", &status) == 0 ? Int(status.st_size) : 0
  }

  private mutating func check(_ number: Int) throws {
    let found = try store.entry(for: ChildBody.key(number))
    guard let found else {
      guard let expected = kept[number] else { return }
      // Only a clearing that was in progress at the store, or began later, may have removed the entry.
      guard expected.clearings % 2 == 1 || clearingCount > expected.clearings else {
        Self.fail("\(number) of version \(expected.version) is lost")
      }
      return kept[number] = nil
    }
    guard let expected = kept[number], found.record.generation == UInt64(expected.version) else {
      Self.fail("\(number) is \(found.record.generation), not \(kept[number]?.version as Any)")
    }
    let bytes = try found.bytes?.withUnsafeBytes { Array($0) } ?? []
    let whole = ChildBody.entry(number: number, version: expected.version, count: bytes.count)
    guard try whole.bytes?.withUnsafeBytes({ Array($0) }) == bytes else { Self.fail("\(number) has other bytes") }
  }

  private static func fail(_ message: String) -> Never {
    var message = "\(message)\n"
    message.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(1)
  }
}
