import CEaselRecords
import EaselBenchmarkHarness
import EaselCore
import EaselDisk
import Foundation
import Glibc

/// Bodies in their own directory, both in a store and as plain files.
final class DiskBodies: Sendable {
  let directory: String
  let keys: [CacheKey]
  let paths: [String]
  let data: Data
  let entry: CacheEntry
  private let root: String

  init(count: Int = 10_000 / debugDivisor, size: Int = 20_000) throws {
    let root = FileManager.default.temporaryDirectory.path + "/easel-bench-\(UUID().uuidString)"
    self.root = root
    directory = root + "/cache"
    try FileManager.default.createDirectory(atPath: root + "/files", withIntermediateDirectories: true)
    keys = (0..<count).map {
      CacheKey(original: "https://images.example.org/albums/2026/november/thumbnails/picture-\($0).jpeg")
    }
    paths = (0..<count).map { "\(root)/files/\($0)" }
    data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    entry = CacheEntry(bytes: ImageBytes(data), record: CacheRecord(stored: Date(), generation: 1))
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func makeStore() throws -> SQLiteDiskStore {
    let store = SQLiteDiskStore(directory: directory)
    for key in keys { try store.store(entry, for: key) }
    return store
  }

  /// A store that contains everything but has not opened its directory.
  ///
  /// The caller must keep this object alive, because the directory is deleted with it.
  func makeFullStore() throws -> SQLiteDiskStore {
    let store = try makeStore()
    guard try store.count() == keys.count else { throw BenchmarkUnavailable("the store does not hold everything") }
    store.close()
    return store
  }

  func writeFiles() throws {
    for path in paths {
      let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      defer { close(descriptor) }
      guard data.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == data.count else {
        throw BenchmarkUnavailable("\(path) cannot be written")
      }
    }
  }

  func reading(_ store: SQLiteDiskStore) -> BenchmarkSide {
    .loop { [self] repetitions in
      for turn in 0..<repetitions { blackHole(try store.entry(for: keys[turn * 7919 % keys.count])) }
    }
  }

  func readingFiles() -> BenchmarkSide {
    .loop { [self] repetitions in
      let buffer = UnsafeMutableRawPointer.allocate(byteCount: data.count, alignment: 64)
      defer { buffer.deallocate() }
      for turn in 0..<repetitions {
        let descriptor = open(paths[turn * 7919 % paths.count], O_RDONLY)
        var status = stat()
        fstat(descriptor, &status)
        let count = read(descriptor, buffer, Int(status.st_size))
        close(descriptor)
        blackHole(easel_record_checksum(buffer, count, 0))
      }
    }
  }

  /// The read time that only one read in a thousand exceeds, multiplied by the requested repetitions.
  func slowestRead(_ store: SQLiteDiskStore, times: Int, whileTrimming: Bool) throws -> Double {
    let trimming = BackgroundTrimming(store, whileTrimming ? keys : [], entry)
    defer { trimming.stop() }
    var seconds: [Double] = []
    let kept = keys.suffix(1000)
    for turn in 0..<20_000 {
      let start = ContinuousClock.now
      blackHole(try store.entry(for: kept[kept.startIndex + turn * 7 % kept.count]))
      seconds.append(start.duration(to: .now) / .seconds(1))
    }
    return seconds.sorted()[seconds.count - seconds.count / 1000 - 1] * Double(times)
  }
}
