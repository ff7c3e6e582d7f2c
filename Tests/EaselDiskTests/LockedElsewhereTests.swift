import CEaselDisk
import EaselCore
import EaselDisk
import EaselSupport
import EaselTestSupport
import EaselTestTags
import EaselTiers
import Foundation
import Testing

/// Other processes lock the files: writers wait for a limited time, and readers do not wait at all.
@Suite(.tags(.alone)) struct LockedElsewhereTests {
  private let directory: TemporaryDirectory
  private var cache: String { directory.path + "/cache" }

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: ["IMMEDIATE", "EXCLUSIVE"])
  func storesThatWaitKeepNoReadFromItsOwn(kind: String) async throws {
    let disk = makeStore(directory)
    let cache = TieredCache(memory: nil, disk: disk)
    try await cache.store(entry(1, count: 5000), for: key(1), in: .disk)
    let other = try Locker(self.cache, "BEGIN \(kind)")
    // On a busy machine the stores may give up before the first read; then the test tries again.
    var wasReadMeanwhile = false
    for _ in 0..<20 where !wasReadMeanwhile {
      let ended = Locked(0)
      let storing = (2..<40).map { number in
        Task {
          defer { ended.withLock { $0 += 1 } }
          try await cache.store(entry(number), for: key(number), in: .disk)
        }
      }
      let hit = try await cache.query(key(1), in: .disk)
      #expect(hit != nil)
      #expect(try await cache.contains(key(1), in: .disk) == .disk)
      #expect(try await cache.count(in: .disk) == 1)
      wasReadMeanwhile = ended.withLock { $0 } < storing.count
      if wasReadMeanwhile { try other.run("ROLLBACK") }
      for task in storing { _ = await task.result }
    }
    #expect(wasReadMeanwhile)
    #expect(try await cache.contains(key(1), in: .disk) == .disk)
  }

  @Test func aChangeThatWaitedInVainSaysWhy() async throws {
    let store = makeStore(directory)
    try store.store(entry(1), for: key(1))
    let other = try Locker(cache, "BEGIN IMMEDIATE")
    let calls: [@Sendable (SQLiteDiskStore) throws -> Void] = [
      { try $0.store(entry(2), for: key(2)) }, { try $0.remove(key(1)) }, { try $0.trim() }, { try $0.removeAll() },
    ]
    // Each waits for two seconds, so they wait side by side, in stores of their own.
    await withTaskGroup(of: (any Error)?.self) { group in
      for call in calls {
        let store = makeStore(directory)
        group.addTask {
          do {
            try await runBlocking { try call(store) }
            return nil
          } catch {
            return error
          }
        }
      }
      for await error in group {
        let error = error as? ImageError
        #expect(error?.code == .cacheFailed)
        #expect(error?.message.contains("has held a lock on it for too long") == true)
      }
    }
    #expect(try store.bytes(for: key(1)) == body(1, count: 100))
    try other.run("ROLLBACK")
    try store.store(entry(2), for: key(2))
    #expect(try store.count() == 2)
  }

  @Test func oneWhoHasTheDatabaseForItselfIsAnErrorForReaders() throws {
    makeStore(directory).close()
    try makeStore(directory).store(entry(1), for: key(1))
    let other = try Locker(cache, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM entries WHERE 0")
    let store = makeStore(directory)
    for _ in 0..<100 {
      let error = #expect(throws: ImageError.self) { try store.count() }
      #expect(error?.message.contains("has held a lock on it for too long") == true)
      #expect(throws: ImageError.self) { try store.entry(for: key(1)) }
    }
    try other.run("ROLLBACK")
    other.close()
    #expect(try makeStore(directory).bytes(for: key(1)) == body(1, count: 100))
  }

  @Test func aProcessThatKeepsTheLockIsNamed() throws {
    let open = makeStore(directory)
    try open.store(entry(1, count: 5000), for: key(1))
    let child = try Child(["hold", cache, "0"])
    child.waitForLine()
    defer { _ = child.kill(afterBytes: 0) }
    let store = makeStore(directory)
    let error = #expect(throws: ImageError.self) { try store.count() }
    #expect(error?.code == .cacheFailed)
    #expect(error?.message.contains("\(child.number)") == true)
    #expect(throws: ImageError.self) { try store.entry(for: key(1)) }
    #expect(throws: ImageError.self) { try store.removeAll() }
    // Stores that are open already need no lock.
    #expect(try open.bytes(for: key(1)) == body(1, count: 5000))
    try open.store(entry(2), for: key(2))
    #expect(try open.count() == 2)
  }

  @Test func twoThatClearAtOnceAndOneThatStoresLeaveOrder() async throws {
    let directory = directory
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<3 {
        group.addTask {
          let store = makeStore(directory)
          for round in 0..<40 {
            if worker == 0 {
              try store.store(entry(round, count: 500 + round * 50), for: key(round))
            } else {
              try store.removeAll()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let store = makeStore(directory)
    try store.trim()
    #expect(try store.entries().count == store.count())
    #expect(try directory.bodyFiles.count == store.entries().filter { $0.byteCount > 1000 }.count)
    try store.removeAll()
    #expect(try store.count() == 0 && directory.bodyFiles.isEmpty)
  }
}

/// A second connection to the database, which locks it.
private final class Locker {
  private var handle: OpaquePointer?

  init(_ directory: String, _ sql: String) throws {
    try #require(sqlite3_open(directory + "/index.sqlite", &handle) == SQLITE_OK)
    try run(sql)
  }

  deinit { close() }

  func run(_ sql: String) throws { try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK) }

  func close() {
    sqlite3_close(handle)
    handle = nil
  }
}
