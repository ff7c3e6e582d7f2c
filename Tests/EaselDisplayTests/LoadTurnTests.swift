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
    #expect(try await kept.image.size == ToyPicture.small.size)
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
    #expect(try await task.value.image.size == ToyPicture.small.size)
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

  @Test(arguments: 0..<20) func loadsBegunInOneBreathComeToTheLoaderInTheirOrder(_: Int) async throws {
    let loader = OrderKeeper()
    let studio = Studio {
      $0.loader = loader
      // However busy the machine is.
      $0.orderPatience = .seconds(3600)
    }
    let urls = urls(64)
    let tasks = urls.map { studio.manager.load($0) }
    for task in tasks { _ = try await task.image }
    #expect(loader.urls.withLock { $0 } == urls)
    let turns = loader.turns.withLock { $0 }
    #expect(turns == turns.sorted() && Set(turns).count == urls.count)
  }

  /// The second load is not let go before the first one has called its loader, whatever its thread does meanwhile.
  @Test func nobodyOvertakesALoadThatIsAboutToCallItsLoader() async throws {
    let loadOrder = LoadOrder(patience: .seconds(3600))
    for turn in [1, 2] as [UInt64] { loadOrder.enter(turn) }
    let gate = Gate()
    let log = Locked<[UInt64]>([])
    let first = Locked<Task<Void, any Error>?>(nil)
    // It keeps its thread before it has called its loader.
    async let start: Void = runBlocking {
      let task = Task<Void, any Error>.started {
        try await loadOrder.inTurn(1) {
          gate.pass()
          log.withLock { $0.append(1) }
        }
      }
      first.withLock { $0 = task }
    }
    await gate.waitForWaiters()
    let second = Task<Void, any Error>.started {
      try await loadOrder.inTurn(2) { log.withLock { $0.append(2) } }
    }
    #expect(loadOrder.waitingCount == 1 && log.withLock { $0 }.isEmpty)
    gate.open()
    await start
    try await first.withLock { $0 }?.value
    try await second.value
    #expect(log.withLock { $0 } == [1, 2] && loadOrder.openCount == 0)
  }

  /// A machine that is too busy to begin a load is no slow disk.
  @Test func aLoadThatNoThreadHasBegunIsWaitedFor() async throws {
    let loadOrder = LoadOrder(patience: .milliseconds(1))
    for turn in [1, 2, 3] as [UInt64] { loadOrder.enter(turn) }
    let log = Watched<[UInt64]>([])
    @Sendable func inTurn(_ turn: UInt64) async throws {
      try await loadOrder.inTurn(turn) { log.withLock { $0.append(turn) } }
    }
    loadOrder.begin(2)
    let third = Task { try await inTurn(3) }
    // The second one is looked up for too long, and the third goes on waiting for the first.
    while loadOrder.openCount == 3 { await Task.yield() }
    #expect(log.withLock { $0 }.isEmpty && loadOrder.waitingCount == 1)
    loadOrder.begin(1)
    try await third.value
    #expect(log.withLock { $0 } == [3] && loadOrder.openCount == 0)
  }

  @Test func aSlowCacheHoldsLaterLoadsUpForAMomentOnly() async throws {
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

  @Test func aLoadThatJoinsAnothersTransferHoldsNobodyUp() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.loader.suspend(url)
    let contexts: [ImageContext] = [[], [.thumbnailSize(PixelSize(width: 4, height: 4))]]
    let tasks = contexts.map { studio.manager.load(url, context: $0) }
    // Each load waits for the transfer twice: for its picture and for its pixels.
    while studio.manager.transferRuns.waitingCount < 4 { await Task.yield() }
    await studio.loader.waitUntilSuspended(url)
    #expect(studio.manager.loadOrder.openCount == 0)
    studio.loader.resume(url)
    for task in tasks { _ = try await task.image }
  }

  @Test(arguments: [nil, PixelSize(width: 4, height: 4)])
  func aLoadThatWasFoundOnTheDiskHoldsNobodyUpWhileItIsDecoded(size: PixelSize?) async throws {
    let studio = Studio()
    studio.place(.small)
    try await studio.warm(url)
    studio.memory.removeAll()
    studio.coder.decodeGate.close()
    var context = ImageContext()
    context[.thumbnailSize] = size
    let task = studio.manager.load(url, context: context)
    await studio.coder.decodeGate.waitForWaiters()
    #expect(studio.manager.loadOrder.openCount == 0)
    studio.coder.decodeGate.open()
    #expect(try await task.result.source == .disk)
  }

  @Test func departuresAreInOrderWhoeverComesFirst() async throws {
    let loadOrder = LoadOrder(patience: .seconds(3600))
    for turn in [2, 1, 3, 4] as [UInt64] { loadOrder.enter(turn) }
    let log = Locked<[UInt64]>([])
    @Sendable func waitForTurn(_ turn: UInt64?) async throws {
      try await loadOrder.inTurn(turn) { log.withLock { if let turn { $0.append(turn) } } }
    }
    let third = Task { try await waitForTurn(3) }
    let second = Task { try await waitForTurn(2) }
    loadOrder.leave(4)
    while loadOrder.waitingCount < 2 { await Task.yield() }
    #expect(log.withLock { $0 }.isEmpty)
    loadOrder.leave(1)
    try await second.value
    try await third.value
    #expect(loadOrder.waitingCount == 0 && log.withLock { $0 } == [2, 3])
    // Work that waits for others continues when the load that started it is cancelled.
    loadOrder.enter(10)
    loadOrder.enter(11)
    let shared = Task { try await waitForTurn(11) }
    while loadOrder.waitingCount < 1 { await Task.yield() }
    loadOrder.leave(11)
    try await shared.value
    loadOrder.leave(10)
    // Turns that have left or never existed are not waited for.
    try await waitForTurn(4)
    try await waitForTurn(nil)
    try await waitForTurn(99)
  }

  @Test func anUrgentLoadWaitsForNoneThatItOvertakes() async throws {
    let loadOrder = LoadOrder(patience: .seconds(3600))
    for turn in 1...1000 as ClosedRange<UInt64> { loadOrder.enter(turn, at: .low) }
    loadOrder.enter(1001, at: .high)
    loadOrder.enter(1002, at: .low)
    try await loadOrder.inTurn(1001) {}
    #expect(loadOrder.openCount == 1001 && loadOrder.waitingCount == 0)
    loadOrder.enter(1003, at: .veryHigh)
    loadOrder.enter(1004, at: .high)
    // It waits for the more urgent one that came first; the low one waits for all before it.
    let log = Locked<[UInt64]>([])
    func waiting(_ turn: UInt64) -> Task<Void, any Error> {
      Task { try await loadOrder.inTurn(turn) { log.withLock { $0.append(turn) } } }
    }
    let tasks = [waiting(1004), waiting(1002)]
    while loadOrder.waitingCount < 2 { await Task.yield() }
    loadOrder.leave(1003)
    try await tasks[0].value
    #expect(log.withLock { $0 } == [1004] && loadOrder.waitingCount == 1)
    for turn in 1...1000 as ClosedRange<UInt64> { loadOrder.leave(turn) }
    try await tasks[1].value
    #expect(loadOrder.openCount == 0)
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

  @Test(arguments: [WorkOrder.firstInFirstOut, .lastInFirstOut]) func workersGoByTheTurnOfTheLoad(_ order: WorkOrder)
    async
  {
    let workers = WorkerSet(threads: 1, order: order)
    let gate = Gate()
    workers.start(at: LivePriority()) { gate.pass() }
    await gate.waitForWaiters()
    let log = Watched<[UInt64]>([])
    for turn in [5, 2, 9, 1] as [UInt64] {
      workers.start(at: LivePriority(turn: turn)) { log.withLock { $0.append(turn) } }
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

/// A loader that records its calls before it does anything else.
private final class OrderKeeper: ImageLoader {
  let turns = Locked<[UInt64]>([])
  let urls = Locked<[URL]>([])
  var cacheIdentity: CacheIdentity { .plain }

  func canLoad(_ url: URL) -> Bool { true }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    urls.withLock { $0.append(request.url) }
    if let turn = request.priority.turn { turns.withLock { $0.append(turn) } }
    return .bytes(ToyPicture.small.imageBytes, ResponseHead(url: request.url))
  }
}
