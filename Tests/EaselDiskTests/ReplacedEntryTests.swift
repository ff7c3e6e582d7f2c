import CEaselDisk
import EaselCore
import EaselDisk
import EaselSupport
import EaselTestSupport
import EaselWorkers
import Foundation
import Testing

/// Entries that are replaced during a lookup.
@Suite struct ReplacedEntryTests {
  private let directory: TemporaryDirectory
  private var cache: String { directory.path + "/cache" }

  init() throws { directory = try TemporaryDirectory() }

  @Test func aKeyThatIsStoredAgainAndAgainIsNeverMissed() async throws {
    let writer = makeStore(directory)
    let same = entry(1, count: 2000)
    try writer.store(same, for: key(1))
    let isOver = Locked(false)
    let directory = directory
    let workers = WorkerSet(threads: 4)
    let missed = try await withThrowingTaskGroup(of: Int.self) { group in
      defer { isOver.withLock { $0 = true } }
      for _ in 0..<3 {
        group.addTask {
          try await workers.run {
            let reader = makeStore(directory)
            return try (0..<15_000).reduce(0) { missed, _ in try missed + (reader.bytes(for: key(1)) == nil ? 1 : 0) }
          }
        }
      }
      let writing = Task {
        try await workers.run { while !isOver.withLock({ $0 }) { try writer.store(same, for: key(1)) } }
      }
      let missed = try await group.reduce(0, +)
      isOver.withLock { $0 = true }
      try await writing.value
      return missed
    }
    #expect(missed == 0)
    #expect(try writer.bytes(for: key(1)) == body(1, count: 2000))
    #expect(try makeStore(directory).count() == 1)
    #expect(directory.bodyFiles.count == 1)
  }

  /// The store asks the clock between reading an entry and removing it.
  @Test(arguments: [100, 5000])
  func anEntryThatTookThePlaceOfAnExpiredOneStays(count: Int) throws {
    let clock = InterruptingClock()
    let store = SQLiteDiskStore(directory: cache, clock: clock, largestInline: 1000, maintenanceInterval: nil)
    let other = SQLiteDiskStore(directory: cache, clock: clock.inner, largestInline: 1000, maintenanceInterval: nil)
    try store.store(entry(1, count: count), for: key(1))
    clock.inner.advance(by: day * 8)
    clock.interrupt(atDate: 1) { try? other.store(entry(1, count: count), for: key(1)) }
    _ = try store.entry(for: key(1))
    #expect(clock.hasInterrupted)
    #expect(try makeStore(directory, clock: clock.inner).bytes(for: key(1)) == body(1, count: count))
    #expect(directory.bodyFiles.count == (count > 1000 ? 1 : 0))
  }

  @Test func whatIsStoredOverAnEntryThatHasEndedIsNew() throws {
    let clock = ManualClock()
    let store = makeStore(directory, .init(ageBasis: .creation), clock: clock)
    try store.store(entry(1), for: key(1))
    clock.advance(by: day * 8)
    try store.store(entry(2), for: key(1))
    #expect(try store.bytes(for: key(1)) == body(2, count: 100))
    #expect(try store.entries().map(\.creation) == [clock.date])
  }

  @Test func findingDamageWaitsForNoWriter() throws {
    let store = makeStore(directory)
    try store.store(entry(1, count: 5000), for: key(1))
    unlink(try #require(directory.bodyFiles.first))
    var other: OpaquePointer?
    #expect(sqlite3_open(cache + "/index.sqlite", &other) == SQLITE_OK)
    defer { sqlite3_close(other) }
    #expect(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    #expect(try store.entry(for: key(1)) == nil)
    #expect(try store.count() == 1, "It goes when nobody is in the way.")
    #expect(sqlite3_exec(other, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
    #expect(try store.entry(for: key(1)) == nil)
    #expect(try store.count() == 0)
  }

  @Test func usesThatNobodyCanWriteDownAreBounded() {
    let uses = LastUses()
    var wishes = 0
    for id in 0..<200_000 where uses.note(Int64(id), at: Double(id)) { wishes += 1 }
    #expect(uses.count <= LastUses.mostUnwritten)
    #expect(uses.time(of: 199_999) == 199_999, "The latest stay.")
    #expect(wishes > 1 && wishes < 200, "It is tried again now and then.")
    for id in 0..<100_000 { _ = uses.note(Int64(id), at: 7) }
    #expect(uses.count <= LastUses.mostUnwritten)
  }
}

/// A clock that runs a closure when it is asked for the date.
private final class InterruptingClock: ImageClock {
  private struct Interruption {
    var left = 0
    var body: (@Sendable () -> Void)?
  }

  let inner = ManualClock()
  private let interruption = Locked(Interruption())

  var hasInterrupted: Bool { interruption.withLock { $0.body == nil } }

  func interrupt(atDate number: Int, _ body: @escaping @Sendable () -> Void) {
    interruption.withLock { $0 = Interruption(left: number, body: body) }
  }

  var date: Date {
    let date = inner.date
    let body: (@Sendable () -> Void)? = interruption.withLock { interruption in
      interruption.left -= 1
      guard interruption.left == 0 else { return nil }
      defer { interruption.body = nil }
      return interruption.body
    }
    body?()
    return date
  }

  var uptime: Duration { inner.uptime }
  func sleep(for duration: Duration) async throws { try await inner.sleep(for: duration) }
  func block(for duration: Duration) { inner.block(for: duration) }
}
