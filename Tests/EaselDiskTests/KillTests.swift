import EaselCore
import EaselDisk
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@Suite(.tags(.alone)) struct KillTests {
  /// The possible state of one key, according to the output of a killed process.
  private struct Expectation {
    var acknowledged: Int?
    /// The operations that may or may not have happened; nil is a removal.
    var pending: [Int?] = []

    func allows(_ version: Int?) -> Bool { version == acknowledged || pending.contains(version) }
  }

  /// With a limit that is always exceeded, entries are evicted all the time, but none reappears and none is torn.
  @Test(arguments: [nil, 40_000])
  func aKillLosesAtMostWhatWasBeingWritten(sizeLimit: Int?) throws {
    let directory = try TemporaryDirectory()
    var random = SeededRandom(seed: 99)
    for round in 0..<faultRounds(3) {
      if round % 10 == 0 { try? FileManager.default.removeItem(atPath: directory.path + "/cache") }
      let before = try versions(makeOpenStore(directory))
      let child = try Child(["churn", directory.path + "/cache", "\(round)"] + (sizeLimit.map { ["\($0)"] } ?? []))
      let lines = child.kill(afterBytes: Int.random(in: 20..<6000, using: &random))
      let store = makeOpenStore(directory)
      let found = try versions(store)
      #expect(!lines.isEmpty)
      let expected = expectations(lines, before)
      for number in 0..<40 {
        let wanted = expected[number] ?? Expectation()
        let mayHaveGone = sizeLimit != nil && found[number] == nil
        #expect(
          wanted.allows(found[number]) || mayHaveGone,
          "round \(round), key \(number): \(found[number] as Any), \(wanted)")
      }
      try expectOrder(in: store, directory)
    }
  }

  @Test func severalProcessesShareOneDirectory() throws {
    let directory = try TemporaryDirectory()
    let seconds = faultRounds(1) > 1 ? 60 : 0
    let children = try (1...4).map { try Child(["share", directory.path + "/cache", "\($0)", "120", "\(seconds)"]) }
    for child in children { #expect(child.waitForSuccess()) }
    try expectOrder(in: makeOpenStore(directory), directory)
  }

  private func makeOpenStore(_ directory: TemporaryDirectory) -> SQLiteDiskStore {
    SQLiteDiskStore(
      directory: directory.path + "/cache", clock: SystemClock(), largestInline: 1000, maintenanceInterval: nil)
  }

  /// The versions of the stored entries; each must be whole.
  private func versions(_ store: SQLiteDiskStore) throws -> [Int: Int] {
    var versions: [Int: Int] = [:]
    for number in 0..<40 {
      guard let entry = try store.entry(for: key(number)), let bytes = try store.bytes(for: key(number)) else {
        continue
      }
      let version = Int(entry.record.generation)
      versions[number] = version
      let rest = (3..<bytes.count).map {
        UInt8(truncatingIfNeeded: $0 &* 13 ^ $0 >> 8 &+ number &* 31 &+ version &* 7)
      }
      #expect(bytes == [UInt8(number), UInt8(version & 255), UInt8(version >> 8 & 255)] + rest)
    }
    return versions
  }

  private func expectations(_ lines: [String], _ before: [Int: Int]) -> [Int: Expectation] {
    var expected = before.mapValues { Expectation(acknowledged: $0) }
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      let isDone = words[1] == "end"
      let version = words.count > 3 ? Int(words[3]) : nil
      let numbers = words.count > 2 ? [Int(words[2])!] : Array(0..<40)
      for number in numbers {
        expected[number, default: Expectation()].pending = isDone ? [] : [version]
        if isDone { expected[number, default: Expectation()].acknowledged = version }
      }
    }
    return expected
  }

  /// Checks that the sizes add up, and that after a trim every file belongs to an entry.
  private func expectOrder(in store: SQLiteDiskStore, _ directory: TemporaryDirectory) throws {
    #expect(try store.count() == store.entries().count)
    let size = try store.totalSize()
    try store.trim()
    #expect(try store.totalSize() == size)
    #expect(try directory.bodyFiles.count == store.entries().filter { $0.byteCount > 1000 }.count)
    #expect(try store.checkIntegrity())
  }
}
