import CEaselDisk
import EaselBenchmarkHarness
import EaselCore
import EaselDisk
import Foundation
import Glibc

func diskCases() -> [BenchmarkCase] {
  let group = "disk"
  return [
    BenchmarkCase("read 20 KB, warm", group: group, against: "open, fstat, read, close, checksum", atMost: 1.5) {
      let bodies = try DiskBodies()
      let store = try bodies.makeStore()
      try bodies.writeFiles()
      return BenchmarkPair(subject: bodies.reading(store), baseline: bodies.readingFiles())
    },
    storeCase("store 20 KB", atMost: 0.2) { bodies, number in
      (CacheKey(original: "https://images.example.org/new/picture-\(number).jpeg"), "\(bodies.paths[0])-\(number)")
    },
    // This is slower because file systems check recently deleted blocks before they give one to a new file.
    storeCase("store 20 KB in place of others", atMost: nil) { bodies, number in
      (bodies.keys[number % bodies.keys.count], bodies.paths[number % bodies.keys.count])
    },
    BenchmarkCase("is it there", group: group, against: "stat", atMost: 2) {
      let bodies = try DiskBodies()
      let store = try bodies.makeStore()
      try bodies.writeFiles()
      var (next, nextFile) = (0, 0)
      return BenchmarkPair(
        subject: .call {
          next = (next + 7919) % bodies.keys.count
          blackHole(try store.contains(bodies.keys[next]))
        },
        baseline: .call {
          nextFile = (nextFile + 7919) % bodies.keys.count
          var status = stat()
          blackHole(stat(bodies.paths[nextFile], &status))
        })
    },
    BenchmarkCase("choose what to trim of 100,000", group: group, against: "the bare query", atMost: 1.5) {
      let bodies = try DiskBodies(count: 100_000 / debugDivisor, size: 64)
      let store = try bodies.makeFullStore()
      let bare = try BareDatabase(bodies.directory)
      return BenchmarkPair(
        subject: .call { blackHole(try store.oldest(min(10_000, bodies.keys.count)).count) },
        baseline: .call { blackHole(try bare.oldest(10_000).count) })
    },
    BenchmarkCase("open a store of 100,000 and ask", group: group, against: "open the database and ask", atMost: 1) {
      let bodies = try DiskBodies(count: 100_000 / debugDivisor, size: 64)
      let store = try bodies.makeFullStore()
      return BenchmarkPair(
        subject: .call {
          blackHole(try store.count())
          store.close()
        },
        baseline: .call { blackHole(try BareDatabase(bodies.directory).count()) })
    },
    BenchmarkCase("p99.9 of reads while others are trimmed", group: group, against: "idle", atMost: 3) {
      let busy = try DiskBodies(count: 60_000 / debugDivisor, size: 2000)
      let store = try busy.makeStore()
      return BenchmarkPair(
        subject: .timed { repetitions in try busy.slowestRead(store, times: repetitions, whileTrimming: true) },
        baseline: .timed { repetitions in try busy.slowestRead(store, times: repetitions, whileTrimming: false) })
    },
  ]
}

private func storeCase(
  _ name: String, atMost bar: Double?, place: @escaping (DiskBodies, Int) -> (key: CacheKey, path: String)
) -> BenchmarkCase {
  BenchmarkCase(name, group: "disk", against: "Data.write(.atomic)", atMost: bar) {
    let bodies = try DiskBodies()
    let store = try bodies.makeStore()
    try bodies.writeFiles()
    var (stored, written) = (0, 0)
    return BenchmarkPair(
      subject: .call {
        stored += 1
        try store.store(bodies.entry, for: place(bodies, stored).key)
      },
      baseline: .call {
        written += 1
        try bodies.data.write(to: URL(fileURLWithPath: place(bodies, written).path), options: .atomic)
      })
  }
}

/// The database without the store.
private final class BareDatabase {
  private var handle: OpaquePointer?

  init(_ directory: String) throws {
    guard sqlite3_open_v2("\(directory)/index.sqlite", &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw BenchmarkUnavailable("the database does not open")
    }
    // The same settings as the store: a log that stays after the last close, no trust in existing contents, no mapping.
    easel_sqlite_harden(handle)
    sqlite3_exec(
      handle, "PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA cache_size = -512",
      nil, nil, nil)
  }

  deinit { sqlite3_close(handle) }

  func count() throws -> Int { try rows("SELECT count, size FROM totals")[0].0 }

  func oldest(_ count: Int) throws -> [(Int, Int)] {
    _ = try rows("SELECT count, size FROM totals")
    return try rows("SELECT id, size FROM entries ORDER BY used LIMIT \(count)")
  }

  private func rows(_ sql: String) throws -> [(Int, Int)] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw BenchmarkUnavailable("\(sql) cannot be run")
    }
    defer { sqlite3_finalize(statement) }
    var rows: [(Int, Int)] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append((Int(sqlite3_column_int64(statement, 0)), Int(sqlite3_column_int64(statement, 1))))
    }
    return rows
  }
}
