import EaselTestSupport
import FoundationEssentials

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers

/// A manager made of fakes, all accessible to the test.
package struct Studio {
  package let clock = ManualClock()
  package let loader: FakeLoader
  package let coder: ToyCoder
  package let memory = RecordingMemoryStore()
  package let disk = RecordingDiskStore()
  package let observer = RecordingObserver()
  package let cache: TieredCache
  package let manager: ImageManager

  package init(
    loader: FakeLoader = FakeLoader(), coder: ToyCoder = ToyCoder(),
    _ configure: (inout ImageManager.Configuration) -> Void = { _ in }
  ) {
    self.loader = loader
    self.coder = coder
    cache = TieredCache(memory: memory, disk: disk, workers: .patient())
    var configuration = ImageManager.Configuration(
      loader: LoaderChain([loader]), coder: CoderRegistry([coder]), cache: cache)
    configuration.clock = clock
    configuration.workers = .patient()
    configuration.observer = observer
    configure(&configuration)
    manager = ImageManager(configuration)
  }

  /// A URL with its own picture.
  @discardableResult
  package func place(_ picture: ToyImage, at text: String = "http://host/a.toy", chunkSize: Int? = nil) -> URL {
    let url = URL(string: text)!
    loader.script(url, .body(picture.bytes, chunkSize: chunkSize))
    return url
  }

  /// Waits until all stores have ended.
  package func settle() async { await manager.storeQueues.drain() }

  /// True when no load has left anything behind.
  package var isAtRest: Bool {
    !manager.isRunning && manager.resultRuns.count == 0 && manager.pixelRuns.count == 0
      && manager.encodingRuns.count == 0 && manager.transferRuns.count == 0 && manager.lookupRuns.count == 0
  }

  /// Waits until no body takes room.
  ///
  /// A cancelled loader returns when it likes, and only then its room is given back.
  package func waitUntilNoRoomIsTaken() async {
    while manager.bodyMemory.taken > 0 { await Task.yield() }
  }
}

extension ToyImage {
  /// A small picture in which all pixels differ.
  package static let small = ToyImage(width: 8, height: 6, seed: 7)
  /// A picture of three frames.
  package static let moving = ToyImage(width: 4, height: 4, seed: 3, frameCount: 3)
}
