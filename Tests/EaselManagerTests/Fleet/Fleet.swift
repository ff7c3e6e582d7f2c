import EaselTestStudio
import EaselTestSupport
import FoundationEssentials

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers

/// Several managers, as on several machines, with one server, one shared store and one coordinator.
struct Fleet {
  /// One machine of the fleet.
  struct Node {
    let manager: ImageManager
    let cache: TieredCache
    let memory = RecordingMemoryStore()
    let disk = RecordingDiskStore()
    let observer = RecordingObserver()
    let flights: InMemoryCoordinator.Node

    init(of fleet: Fleet, _ configure: (inout ImageManager.Configuration) -> Void) {
      flights = fleet.coordinator.node()
      cache = TieredCache(
        memory: memory, disk: disk, shared: fleet.store, sharedSettings: fleet.settings, clock: fleet.clock,
        workers: .patient())
      var configuration = ImageManager.Configuration(
        loader: LoaderChain([fleet.loader]), coder: CoderRegistry([fleet.coder]), cache: cache)
      configuration.clock = fleet.clock
      configuration.workers = .patient()
      configuration.observer = observer
      if fleet.isCoordinated { configuration.coordinator = flights }
      configure(&configuration)
      manager = ImageManager(configuration)
    }

    func encoded(
      _ url: URL, as recipe: EncodeRecipe = .print, _ options: ImageOptions = [], _ context: ImageContext = []
    ) async throws -> EncodedImage {
      try await manager.encoded(for: ImageRequest(url: url, options: options, context: context), as: recipe)
    }

    func key(_ url: URL, as recipe: EncodeRecipe = .print, _ context: ImageContext = []) -> CacheKey {
      manager.cacheKey(for: ImageRequest(url: url, context: context), as: recipe)!
    }

    func settle() async { await manager.storeQueues.drain() }

    /// The failures of caches that the observer was told of.
    var cacheFailures: [ImageError] {
      observer.events.compactMap { if case .cacheFailed(let error) = $0.kind { error } else { nil } }
    }

    /// The layers of the hits that the observer was told of.
    var hits: [CacheLayers] {
      observer.events.compactMap { if case .cacheHit(let layer) = $0.kind { layer } else { nil } }
    }
  }

  typealias Work = Task<EncodedImage, any Error>

  let clock = ManualClock()
  let loader = FakeLoader()
  let coder = ToyCoder()
  let store = InMemorySharedStore()
  let coordinator: InMemoryCoordinator
  let settings: TieredCache.SharedStoreSettings
  let isCoordinated: Bool
  private(set) var nodes: [Node] = []

  init(
    of count: Int = 3, isCoordinated: Bool = true,
    settings: TieredCache.SharedStoreSettings = TieredCache.SharedStoreSettings(),
    _ configure: (inout ImageManager.Configuration) -> Void = { _ in }
  ) {
    coordinator = InMemoryCoordinator(store: store, clock: clock)
    self.settings = settings
    self.isCoordinated = isCoordinated
    nodes = (0..<count).map { _ in Node(of: self, configure) }
  }

  subscript(number: Int) -> Node { nodes[number] }

  @discardableResult
  func place(
    _ picture: ToyImage = .small, at text: String = "http://host/a.toy", headers: HTTPHeaders = [:]
  ) -> URL {
    let url = URL(string: text)!
    loader.script(url, .body(picture.bytes, headers: headers))
    return url
  }

  /// Lets the first machine load a picture, which does not come yet, while the second waits for it.
  func workAndWait(
    for url: URL, first firstContext: ImageContext = [], second secondContext: ImageContext = []
  ) async -> (first: Work, second: Work) {
    loader.suspend(url)
    let first = Task { try await self[0].encoded(url, as: .print, [], firstContext) }
    await loader.waitUntilSuspended(url)
    let second = Task { try await self[1].encoded(url, as: .print, [], secondContext) }
    await coordinator.waitForWaiters()
    return (first, second)
  }

  /// Waits until nothing is stored and no claim is held any more.
  func settle() async {
    for node in nodes { await node.settle() }
    await coordinator.waitUntilIdle()
    for node in nodes { await node.settle() }
  }

  /// Waits until somebody sleeps for exactly this time, and lets it pass.
  func passSleep(of time: Duration) async {
    while !clock.remainingSleeps.contains(time) { await Task.yield() }
    clock.advance(by: time)
  }

  var encodeCount: Int { coder.counts.encodes }
  var decodeCount: Int { coder.decodeOptions.count }
}
