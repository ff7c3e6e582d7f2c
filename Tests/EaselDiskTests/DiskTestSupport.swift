import EaselCore
import EaselDisk
import EaselTestSupport
import FoundationEssentials

/// A directory that is deleted after the test.
final class TemporaryDirectory: Sendable {
  let path = FileManager.default.temporaryDirectory.path + "/easel-disk-\(UUID().uuidString)"

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// All files below `bodies`.
  var bodyFiles: [String] {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: path + "/cache/bodies")) ?? []
    return folders.flatMap { folder in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/cache/bodies/\(folder)")) ?? []
      return names.map { "\(path)/cache/bodies/\(folder)/\($0)" }
    }
  }
}

let day = Duration.seconds(24 * 3600)

func key(_ number: Int, _ suffixes: String...) -> CacheKey {
  CacheKey(original: "http://example.org/\(number).png", suffixes: suffixes.map { CacheKey.Suffix($0) })
}

/// Bytes whose content tells their number.
func body(_ number: Int, count: Int) -> [UInt8] {
  var random = SeededRandom(seed: UInt64(number))
  var bytes: [UInt8] = []
  while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes += $0 } }
  return Array(bytes[..<count])
}

func entry(_ number: Int = 0, count: Int = 100, generation: UInt64 = 1) -> CacheEntry {
  CacheEntry(bytes: ImageBytes(body(number, count: count)), record: .sample(generation: generation))
}

func response(_ tag: String) -> CacheRecord.Response {
  CacheRecord.Response(
    status: 200, headers: ["ETag": tag, "Cache-Control": "max-age=60"],
    requested: Date(timeIntervalSince1970: 999_999_999), received: Date(timeIntervalSince1970: 1_000_000_000),
    varyingFields: ["Accept": "image/*"])
}

func makeStore(
  _ directory: TemporaryDirectory, _ limits: SQLiteDiskStore.Limits = .init(), clock: ManualClock = ManualClock(),
  readOnlyDirectories: [String] = [], largestInline: Int = 1000
) -> SQLiteDiskStore {
  SQLiteDiskStore(
    directory: directory.path + "/cache", limits: limits, readOnlyDirectories: readOnlyDirectories, clock: clock,
    largestInline: largestInline, maintenanceInterval: nil)
}

extension SQLiteDiskStore {
  func bytes(for key: CacheKey) throws -> [UInt8]? {
    try entry(for: key)?.bytes?.withUnsafeBytes { Array($0) }
  }
}
