import EaselSupport
import EaselTestStudio
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers

/// Very many loads with cancellations, joins and priority changes: a few here, a million with `script/test --rounds loads`.
@Suite(.tags(.alone))
struct SoakTests {
  private struct Figures {
    var succeeded = 0
    var cancelled = 0
    var failed = 0
    var answered: Int { succeeded + cancelled + failed }
  }

  private let loader = SoakParts.Loader()
  private let store = SoakParts.Store()
  private let figures = Locked(Figures())
  private let completions = Locked(0)

  @Test func everyLoadIsAnsweredOnceAndNothingIsLeftBehind() async throws {
    let stated = ProcessInfo.processInfo.environment["EASEL_SOAK_LOADS"].flatMap { Int($0) }
    let total = stated ?? repetitions(50_000, inDebug: 2000)
    var configuration = ImageManager.Configuration(
      loader: loader, coder: CoderRegistry([SoakParts.Coder()]), cache: TieredCache(memory: store))
    configuration.failedURLCapacity = 50
    let manager = ImageManager(configuration)
    let started = ContinuousClock.now
    let warmUp = total / 5
    await load(warmUp, by: manager, seed: 1)
    let before = SoakParts.residentBytes()
    await load(total - warmUp, by: manager, seed: 2)
    await manager.storeQueues.drain()
    let after = SoakParts.residentBytes()
    let figures = figures.withLock { $0 }
    #expect(figures.answered == total)
    #expect(figures.succeeded > total / 4)
    #expect(figures.cancelled > 0)
    #expect(!manager.isRunning)
    #expect(manager.resultRuns.count == 0)
    #expect(manager.pixelRuns.count == 0)
    #expect(manager.transferRuns.count == 0)
    #expect(manager.lookupRuns.count == 0)
    // The turn of a load ends with its run, which may be a moment after its answer.
    await waitUntil { manager.storeQueues.isEmpty }
    if stated != nil {
      // No other tests run at the same time, so growth comes from these loads or from Swift Testing, which keeps the
      // backtrace of every error thrown during a test: about 170 bytes for each load that fails.
      let backtraces = 256 * (figures.cancelled + figures.failed)
      #expect(after - before < (16 << 20) + backtraces)
      let seconds = (ContinuousClock.now - started) / .seconds(1)
      print(
        """
        soak: \(total) loads in \(Int(seconds)) s: \(figures.succeeded) pictures, \(figures.cancelled) cancelled, \
        \(figures.failed) failed; \(completions.withLock { $0 }) by completion; \(loader.callCount) transfers; \
        resident \(before >> 10) KiB after the first fifth, \(after >> 10) KiB at the end
        """)
    }
  }

  private func load(_ count: Int, by manager: ImageManager, seed: UInt64) async {
    let lanes = 64
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<lanes {
        let share = count / lanes + (lane < count % lanes ? 1 : 0)
        group.addTask {
          var random = SeededRandom(seed: seed &* 1000 &+ UInt64(lane))
          for _ in 0..<share { await loadOne(by: manager, &random) }
        }
      }
    }
  }

  private func loadOne(by manager: ImageManager, _ random: inout SeededRandom) async {
    var request = ImageRequest("http://host/\(random.below(60))")
    if random.below(2) == 0 {
      let adders = (0..<random.below(3)).map { SoakParts.Adder(amount: UInt8($0 + 1)) }
      request.context = [.transformer(TransformerPipeline(adders))]
    }
    request.options = random.element(of: [[], [], .fromLoaderOnly, .refreshCached, .waitStore])
    if random.below(3) == 0 {
      await loadWithCompletion(request, by: manager)
      return
    }
    let task = manager.load(request)
    switch random.below(5) {
    case 0: task.cancel()
    case 1:
      await Task.yield()
      task.cancel()
    case 2: task.priority = random.element(of: LoadPriority.allCases)
    case 3:
      task.priority = .high
      await Task.yield()
      task.priority = .low
    default: break
    }
    do {
      _ = try await task.result
      figures.withLock { $0.succeeded += 1 }
    } catch {
      count(error)
    }
  }

  private func loadWithCompletion(_ request: ImageRequest, by manager: ImageManager) async {
    // A second call would resume the continuation twice, which ends the process.
    let result: Result<ImageResult, ImageError> = await withCheckedContinuation { continuation in
      manager.load(request) { continuation.resume(returning: $0) }
    }
    completions.withLock { $0 += 1 }
    switch result {
    case .success: figures.withLock { $0.succeeded += 1 }
    case .failure(let error): count(error)
    }
  }

  private func count(_ error: ImageError) {
    figures.withLock { figures in
      if error.isCancellation { figures.cancelled += 1 } else { figures.failed += 1 }
    }
  }
}
