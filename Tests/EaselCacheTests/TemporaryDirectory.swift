import EaselCore
import EaselDisk
import EaselMemory
import EaselSupport
import EaselTestSupport
import FoundationEssentials

/// A directory that is deleted after the test, with places for several stores.
final class TemporaryDirectory: Sendable {
  let path = FileManager.default.temporaryDirectory.path + "/easel-cache-\(UUID().uuidString)"
  private let places = Locked(0)

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A store at this place, or at a new place.
  ///
  /// Bodies of more than a hundred bytes become files, so that small pictures test both forms of storage.
  func makeDisk(
    at place: String? = nil, limits: SQLiteDiskStore.Limits = .init(), clock: any ImageClock = ManualClock()
  ) -> SQLiteDiskStore {
    let place = place ?? "\(path)/\(places.withLock { $0 += 1; return $0 })"
    return SQLiteDiskStore(
      directory: place, limits: limits, clock: clock, largestInline: 100, maintenanceInterval: nil)
  }
}

func makeMemory(countLimit: Int? = nil, clock: any ImageClock = ManualClock()) -> LRUMemoryStore {
  LRUMemoryStore(.init(costLimit: 1 << 30, countLimit: countLimit), clock: clock, pressure: { nil })
}
