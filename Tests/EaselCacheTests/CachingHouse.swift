import EaselDisk
import EaselMemory
import EaselTestSupport
import FoundationEssentials

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers

/// A manager with the real stores, and a loader and a clock that tests control.
final class CachingHouse {
  let clock: ManualClock
  let loader: FakeLoader
  let observer = RecordingObserver()
  let memory: LRUMemoryStore
  let disk: SQLiteDiskStore
  let manager: ImageManager
  private let directory: TemporaryDirectory
  private let place: String
  private let configure: (inout ImageManager.Configuration) -> Void

  convenience init(
    diskLimits: SQLiteDiskStore.Limits = .init(), _ configure: @escaping (inout ImageManager.Configuration) -> Void
  ) throws {
    let directory = try TemporaryDirectory()
    self.init(
      FakeLoader(), ManualClock(), directory, place: directory.path + "/cache", limits: diskLimits, configure)
  }

  private init(
    _ loader: FakeLoader, _ clock: ManualClock, _ directory: TemporaryDirectory, place: String,
    limits: SQLiteDiskStore.Limits, _ configure: @escaping (inout ImageManager.Configuration) -> Void
  ) {
    self.loader = loader
    self.clock = clock
    self.directory = directory
    self.place = place
    self.configure = configure
    memory = makeMemory(clock: clock)
    disk = directory.makeDisk(at: place, limits: limits, clock: clock)
    var configuration = ImageManager.Configuration(
      loader: loader, coder: CoderRegistry([ToyCoder()]), cache: TieredCache(memory: memory, disk: disk))
    configuration.clock = clock
    configuration.observer = observer
    configure(&configuration)
    manager = ImageManager(configuration)
  }

  /// The same setup after the process ended and started again: only the directory is left.
  func reopened() async -> CachingHouse {
    await settle()
    return CachingHouse(loader, clock, directory, place: place, limits: disk.limits, configure)
  }

  func load(_ url: URL, _ options: ImageOptions = [], _ context: ImageContext = []) async throws -> ImageResult {
    let result = try await manager.result(for: ImageRequest(url: url, options: options, context: context))
    await settle()
    return result
  }

  /// Loads a picture; the clock moves between the request and its answer.
  func load(_ url: URL, _ context: ImageContext, answeredAfter delay: Duration) async throws {
    loader.suspend(url)
    let task = manager.load(url, context: context)
    await loader.waitUntilSuspended(url)
    clock.advance(by: delay)
    loader.resume(url)
    _ = try await task.result
    await settle()
  }

  /// Waits for work that continues after the answers: revalidations and stores.
  func settle() async {
    await manager.background.wait()
    await manager.storeQueues.drain()
  }
}
