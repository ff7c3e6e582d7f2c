import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselDisplay
@testable import EaselManager
@testable import EaselWorkers

/// When `load` returns, the load is in progress and has taken its turn.
struct LoadTurnTests {
  let url = URL(string: "http://host/a.toy")!

  private func urls(_ count: Int) -> [URL] { (0..<count).map { URL(string: "http://host/\($0).toy")! } }

  @Test(arguments: 0..<20) func aLoadIsUnderWayWhenItWasBegun(_: Int) async throws {
    let studio = Studio()
    studio.place(.small)
    studio.loader.suspend(url)
    let task = studio.manager.load(url)
    #expect(studio.manager.isRunning && studio.manager.runningCount == 1 && !task.isFinished && !task.isCancelled)
    studio.loader.resume(url)
    _ = try await task.image
    #expect(!studio.manager.isRunning && task.isFinished && !task.isCancelled)
  }

  @Test(arguments: 0..<20) func cancellingAllRightAfterCancelsIt(_: Int) async throws {
    let studio = Studio()
    studio.place(.small)
    let task = studio.manager.load(url)
    studio.manager.cancelAll()
    #expect(task.isCancelled)
    await #expect { try await task.image } throws: { ($0 as? ImageError)?.code == .cancelled }
    #expect(task.isFinished && task.isCancelled)
  }

  @Test(arguments: 0..<20) func closingRightAfterKeepsWhatIsToBeContinued(_: Int) async throws {
    let studio = Studio { $0.optionsProcessor = FakeOptionsProcessor(adding: []) }
    studio.place(.small)
    let other = studio.place(.moving, at: "http://host/b.toy")
    studio.loader.suspend(url)
    let kept = studio.manager.load(url, options: .continueInBackground)
    let given = studio.manager.load(other)
    let closing = Task { await studio.manager.close() }
    await #expect { try await given.image } throws: { ($0 as? ImageError)?.code == .cancelled }
    studio.loader.resume(url)
    #expect(try await kept.image.size == ToyImage.small.size)
    await closing.value
    let late = studio.manager.load(url, options: .fromLoaderOnly)
    await #expect { try await late.image } throws: { ($0 as? ImageError)?.code == .cancelled }
    #expect(late.isCancelled)
  }

  @Test func aLoadBegunByACancelledTaskIsItsOwn() async throws {
    let studio = Studio()
    studio.place(.small)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return studio.manager.load(url)
    }
    #expect(try await task.value.image.size == ToyImage.small.size)
  }

  @Test func aCancelledTaskThatAwaitsItsPictureStartsNothing() async throws {
    let studio = Studio()
    studio.place(.small)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await studio.manager.image(for: url)
    }
    await #expect { try await task.value } throws: { ($0 as? ImageError)?.code == .cancelled }
    #expect(studio.loader.callCount == 0 && studio.isAtRest)
  }

  @Test func aPictureInMemoryIsThereWhenLoadReturns() async throws {
    let studio = Studio()
    studio.place(.small)
    try await studio.warm(url)
    let task = studio.manager.load(url)
    #expect(task.isFinished && !studio.manager.isRunning)
    #expect(try await task.result.source == .memory)
    task.cancel()
    #expect(!task.isCancelled)
    #expect(await studio.events(of: task).value.isEmpty)
  }

  /// A loader's queue goes by these turns.
  @Test(arguments: 0..<20) func loadsBegunInOneBreathHaveTheirTurnsInTheirOrder(_: Int) async throws {
    let loader = OrderKeeper()
    let studio = Studio { $0.loader = loader }
    let urls = urls(64)
    let tasks = urls.map { studio.manager.load($0) }
    for task in tasks { _ = try await task.image }
    let calls = loader.calls.withLock { $0 }
    #expect(calls.sorted { $0.turn < $1.turn }.map(\.url) == urls && Set(calls.map(\.turn)).count == urls.count)
  }

  @Test func aSlowCacheHoldsNoLaterLoadUp() async throws {
    let studio = Studio()
    let other = studio.place(.moving, at: "http://host/b.toy")
    studio.place(.small)
    studio.disk.suspend(.query)
    let slow = studio.manager.load(url)
    await studio.disk.waitUntilSuspended(.query)
    let quick = studio.manager.load(other, options: .fromLoaderOnly)
    #expect(try await quick.image.isAnimated)
    #expect(!slow.isFinished)
    studio.disk.resume(.query)
    _ = try await slow.image
  }

  /// Lookups of a thousand loads stand still, and one of high priority passes them.
  @Test func anUrgentLoadPassesAThousandThatAreStillLookedUp() async throws {
    let studio = Studio()
    let urls = urls(1000)
    for url in urls { studio.place(.small, at: url.absoluteString) }
    studio.place(.small)
    studio.disk.suspend(.query)
    func load(_ url: URL, _ priority: LoadPriority, options: ImageOptions = []) -> ImageTask {
      var request = ImageRequest(url: url, options: options)
      request.priority = priority
      return studio.manager.load(request)
    }
    let tasks = urls.map { load($0, .low) }
    await studio.disk.waitUntilSuspended(.query)
    let urgent = load(url, .high, options: .fromLoaderOnly)
    _ = try await urgent.image
    #expect(tasks.allSatisfy { !$0.isFinished })
    studio.disk.resume(.query)
    for task in tasks { _ = try await task.image }
  }

  @Test(arguments: [LoadPriority.Order.firstInFirstOut, .lastInFirstOut]) func workersGoByTheTurnOfTheLoad(
    _ order: LoadPriority.Order
  )
    async
  {
    let workers = WorkerSet(threads: 1, order: order)
    let gate = Gate()
    workers.start(at: LoadPriority.Live()) { gate.pass() }
    await gate.waitForWaiters()
    let log = Watched<[UInt64]>([])
    for turn in [5, 2, 9, 1] as [UInt64] {
      workers.start(at: LoadPriority.Live(turn: turn)) { log.withLock { $0.append(turn) } }
    }
    gate.open()
    await log.wait { $0.count == 4 }
    #expect(log.withLock { $0 } == (order == .firstInFirstOut ? [1, 2, 5, 9] : [9, 5, 2, 1]))
  }

  @Test(arguments: 0..<100) func theClosureFormHearsOfTheFirstEvent(_: Int) async throws {
    let studio = Studio()
    studio.place(.small, chunkSize: 40)
    let log = Locked<[ImageTask.Event]>([])
    let done = AsyncGate()
    studio.manager.load(ImageRequest(url: url)) { event in
      log.withLock { $0.append(event) }
    } completion: { _ in
      done.open()
    }
    try await done.pass()
    #expect(log.withLock { $0.first?.progress } == [0, nil])
  }

  @Test func eventsBegunWithTheLoadMissNothing() async throws {
    let studio = Studio { $0.minimumProgressInterval = 0 }
    studio.place(.small, chunkSize: 40)
    let view = FakeView()
    for _ in 0..<50 {
      view.calls.withLock { $0 = [] }
      _ = try await view.setImage(url, from: studio.manager, options: .fromLoaderOnly).result
      let first = view.calls.withLock { $0 }.first { if case .progress = $0 { true } else { false } }
      #expect(first == .progress(0, nil))
    }
  }
}

/// A loader that records the turns of its calls.
private final class OrderKeeper: ImageLoader {
  let calls = Locked<[(turn: UInt64, url: URL)]>([])
  var cacheIdentity: CacheIdentity { .plain }

  func canLoad(_ url: URL) -> Bool { true }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    calls.withLock { $0.append((request.priority.turn ?? 0, request.url)) }
    return .bytes(ToyImage.small.imageBytes, ResponseHead(url: request.url))
  }
}
