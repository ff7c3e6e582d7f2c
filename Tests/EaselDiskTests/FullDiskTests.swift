import EaselCore
import EaselDisk
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

/// A disk without a single free byte, on which the cache must still be cleared.
@Suite(.tags(.alone), .enabled(if: SmallFileSystem.isPossible, Comment(rawValue: SmallFileSystem.whyNot)))
struct FullDiskTests {
  /// The places of the bodies: rows of the database, files, or both.
  enum Bodies: CaseIterable {
    case inline, files, mixed

    func count(_ number: Int) -> Int {
      switch self {
      case .inline: 100 + number * 3
      case .files: 3000 + number * 30
      case .mixed: number % 2 == 0 ? 200 : 9000
      }
    }
  }

  private static let entries = 120

  // Declared first, so that it is unmounted before the directory is deleted.
  private let fileSystem: SmallFileSystem
  private let directory: TemporaryDirectory
  private var cache: String { directory.path + "/cache" }

  init() throws {
    directory = try TemporaryDirectory()
    fileSystem = try SmallFileSystem(at: directory.path + "/cache", size: "6m")
  }

  /// A store on the full disk: the one that filled it, or one of a new process.
  private func makeFull(_ bodies: Bodies, isFresh: Bool, hasReserve: Bool = true) throws -> SQLiteDiskStore {
    let clock = ManualClock()
    let store = makeStore(directory, clock: clock)
    for number in 0..<Self.entries {
      clock.advance(by: .seconds(1))
      try store.store(entry(number, count: bodies.count(number)), for: key(number))
    }
    if isFresh { store.close() }
    if !hasReserve { unlink(cache + "/reserve") }
    try fileSystem.fill()
    let full = isFresh ? makeStore(directory, clock: clock) : store
    #expect(throws: ImageError.self) { try full.store(entry(1, count: 400_000), for: key(-1)) }
    return full
  }

  @Test(arguments: Bodies.allCases, [false, true])
  func entriesCanBeRemoved(bodies: Bodies, isFresh: Bool) throws {
    let store = try makeFull(bodies, isFresh: isFresh)
    for number in 0..<20 {
      try store.remove(key(number))
      #expect(try store.entry(for: key(number)) == nil)
    }
    for number in 20..<Self.entries {
      #expect(try store.bytes(for: key(number)) == body(number, count: bodies.count(number)), "\(number)")
    }
    #expect(try store.checkIntegrity())
    store.close()
    #expect(try makeStore(directory).count() == Self.entries - 20)
  }

  @Test(arguments: Bodies.allCases, [false, true])
  func itCanBeTrimmed(bodies: Bodies, isFresh: Bool) throws {
    let store = try makeFull(bodies, isFresh: isFresh)
    let size = try store.totalSize()
    store.limits.sizeLimit = size / 2
    try store.trim()
    #expect(try store.totalSize() <= size / 2)
    #expect(try store.totalSize() > size / 4)
    let kept = try (0..<Self.entries).filter { try store.contains(key($0)) }
    #expect(kept == Array(kept[0]..<Self.entries), "Those used longest ago go.")
    for number in kept { #expect(try store.bytes(for: key(number)) == body(number, count: bodies.count(number))) }
    #expect(try directory.bodyFiles.count == store.entries().filter { $0.byteCount > 1000 }.count)
  }

  @Test(arguments: Bodies.allCases, [false, true])
  func itCanBeCleared(bodies: Bodies, isFresh: Bool) throws {
    let store = try makeFull(bodies, isFresh: isFresh)
    try store.removeAll()
    #expect(directory.bodyFiles.isEmpty)
    #expect(try store.count() == 0)
    #expect(try store.entry(for: key(1)) == nil)
    try store.store(entry(1, count: 5000), for: key(1))
    #expect(try store.bytes(for: key(1)) == body(1, count: 5000))
    #expect(try makeStore(directory).count() == 1)
  }

  /// Older caches have no reserve, and a reserve may have been used up.
  @Test(arguments: Bodies.allCases, [false, true])
  func aReserveIsNotNeeded(bodies: Bodies, isFresh: Bool) throws {
    let store = try makeFull(bodies, isFresh: isFresh, hasReserve: false)
    try store.remove(key(7))
    #expect(try store.entry(for: key(7)) == nil)
    for number in 0..<Self.entries {
      let found = try store.bytes(for: key(number))
      #expect(found == nil || found == body(number, count: bodies.count(number)))
    }
    try store.removeAll()
    #expect(try store.count() == 0)
    #expect(directory.bodyFiles.isEmpty)
  }

  @Test func whatIsThereIsStillRead() throws {
    let store = try makeFull(.mixed, isFresh: true)
    for number in 0..<Self.entries {
      #expect(try store.bytes(for: key(number)) == body(number, count: Bodies.mixed.count(number)))
    }
  }

  @Test func storingSaysThatItIsFull() throws {
    let store = try makeFull(.files, isFresh: false)
    let error = #expect(throws: ImageError.self) { try store.store(entry(1, count: 400_000), for: key(-1)) }
    #expect(error?.code == .cacheFailed)
    #expect(error?.message.contains("The disk is full") == true)
  }

  @Test func roomForFilesCanRunOutToo() throws {
    let other = try TemporaryDirectory()
    let small = try SmallFileSystem(at: other.path + "/cache", size: "6m", files: 200)
    defer { withExtendedLifetime(small) {} }
    let store = makeStore(other)
    for number in 0..<40 { try store.store(entry(number, count: 5000), for: key(number)) }
    small.takeAllFiles()
    let error = #expect(throws: ImageError.self) { try store.store(entry(1, count: 5000), for: key(99)) }
    #expect(error?.message.contains("The disk is full") == true)
    try store.remove(key(1))
    #expect(try store.entry(for: key(1)) == nil)
    #expect(try store.bytes(for: key(2)) == body(2, count: 5000))
    try store.removeAll()
    #expect(try store.count() == 0)
    store.close()
  }
}
