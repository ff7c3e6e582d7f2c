import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers
@testable import EaselWorkers

/// Hundreds of callers join each other's loads at every stage.
struct SharingUnderStressTests {
  private struct Crowd {
    let memory = RecordingMemoryStore()
    let disk = RecordingDiskStore()
    let studio: Studio

    /// Has its own worker threads, because the tests block them.
    init(isProgressive: Bool = true, pixels: WorkerSet = .patient()) {
      let cache = TieredCache(memory: memory, disk: disk, workers: .patient(threads: 16))
      studio = Studio(coder: ToyCoder(isProgressive: isProgressive)) { configuration in
        configuration.cache = cache
        configuration.workers = pixels
      }
    }
  }

  /// Starts `count` callers for each of ten sizes; all have joined when this returns.
  private func callers(_ count: Int, of url: URL, in studio: Studio) -> [Task<Int, any Error>] {
    (0..<count).flatMap { _ in
      (1...10).map { side in
        Task.started {
          let context: ImageContext = [.thumbnailSize(PixelSize(width: side, height: side))]
          let image = try await studio.manager.image(for: url, context: context)
          #expect(image.size == PixelSize(width: side, height: side))
          return side
        }
      }
    }
  }

  @Test func callersOfTenSizesWhoComeAtEveryStageCostOneLoadAndTenDecodes() async throws {
    let crowd = Crowd()
    let studio = crowd.studio
    let url = studio.place(ToyImage(width: 20, height: 20, seed: 1), chunkSize: 300)
    var all: [Task<Int, any Error>] = []

    crowd.disk.suspend(.query)
    all += callers(5, of: url, in: studio)
    await crowd.disk.waitUntilSuspended(.query, count: 10)
    all += callers(5, of: url, in: studio)

    studio.loader.suspend(url, at: .start)
    crowd.disk.resume(.query)
    await studio.loader.waitUntilSuspended(url, at: .start)
    all += callers(5, of: url, in: studio)

    studio.loader.suspend(url, at: .step(3))
    studio.loader.resume(url, at: .start)
    await studio.loader.waitUntilSuspended(url, at: .step(3))
    all += callers(5, of: url, in: studio)
    let leaving = callers(3, of: url, in: studio)

    studio.coder.decodeGate.close()
    studio.loader.resume(url, at: .step(3))
    await studio.coder.decodeGate.waitForWaiters(count: 4)
    all += callers(5, of: url, in: studio)
    for caller in leaving { caller.cancel() }

    crowd.disk.suspend(.store)
    studio.coder.decodeGate.open()
    await crowd.disk.waitUntilSuspended(.store)
    all += callers(5, of: url, in: studio)
    crowd.disk.resume(.store)

    var answers = 0
    for caller in all {
      _ = try await caller.value
      answers += 1
    }
    for caller in leaving { await #expect(throws: ImageError.self) { try await caller.value } }
    #expect(answers == 300)
    #expect(studio.loader.callCount == 1)
    #expect(studio.coder.counts.decodes + studio.coder.counts.finishes == 10)
    await studio.settle()
    #expect(studio.isAtRest)
    let original = CacheKey(original: url.absoluteString)
    #expect(crowd.disk.calls.filter { $0 == .store(original) }.count == 1)
  }

  @Test func pipelinesThatBeginAlikeRunTheirBeginningOnce() async throws {
    let crowd = Crowd()
    let studio = crowd.studio
    let url = studio.place(.small)
    let tags = (1...4).map { TaggingTransformer(UInt8($0)) }
    let pipelines: [[Int]] = [[1], [1, 2], [1, 2, 3], [1, 3], [4], []]
    studio.loader.suspend(url)
    let tasks = pipelines.flatMap { [$0, $0, $0, $0] }.map { numbers in
      Task.started {
        let pipeline = TransformerPipeline(numbers.map { tags[$0 - 1] })
        let image = try await studio.manager.image(for: url, context: [.transformer(pipeline)])
        #expect(TaggingTransformer.tags(of: image) == numbers.map(UInt8.init))
      }
    }
    // Three wait for the decoding, three for the first tag, two for the second tag after it, and one for each other
    // step.
    while studio.manager.pixelRuns.waitingCount < 11 { await Task.yield() }
    studio.loader.resume(url)
    for task in tasks { try await task.value }
    #expect(studio.loader.callCount == 1)
    #expect(studio.coder.counts.decodes + studio.coder.counts.finishes == 1)
    #expect(tags.map(\.count) == [1, 1, 2, 1])
    await studio.settle()
    #expect(studio.isAtRest)
  }

  @Test func aLoadThatAnUrgentCallerJoinsIsRaisedAndLoweredAgain() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    studio.loader.suspend(url)
    let prefetch = studio.manager.load(url, options: .lowPriority)
    await studio.loader.waitForPriority(.low, of: url)
    let visible = studio.manager.load(url, options: .highPriority)
    await studio.loader.waitForPriority(.high, of: url)
    visible.cancel()
    await studio.loader.waitForPriority(.low, of: url)
    prefetch.priority = .veryHigh
    await studio.loader.waitForPriority(.veryHigh, of: url)
    prefetch.priority = .veryLow
    await studio.loader.waitForPriority(.veryLow, of: url)
    studio.loader.resume(url)
    _ = try await prefetch.image
    #expect(studio.loader.calls(for: url)[0].priorities == [.low, .high, .low, .veryHigh, .veryLow])
  }

  @Test(arguments: [LoadPriority.Order.firstInFirstOut, .lastInFirstOut])
  func theOrderOfTheWorkersHoldsForRequestsThatComeInTheMiddle(order: LoadPriority.Order) async throws {
    let workers = WorkerSet(threads: 1, order: order, clock: ManualClock())
    let studio = Studio { $0.workers = workers }
    let url = studio.place(.small)
    _ = try await studio.manager.image(for: url)
    await studio.settle()

    let blocker = TaggingTransformer(100)
    blocker.gate.close()
    let finished = Watched<[Int]>([])
    // Recorded on the thread itself, because observers may get the events of two jobs in the other order.
    let ran = Watched<[Int]>([])
    func ask(_ number: Int, _ transformer: TaggingTransformer, at priority: LoadPriority = .normal) -> Task<
      Void, any Error
    > {
      var request = ImageRequest(
        url: url,
        context: [
          .transformer(.custom(NotingTransformer(transformer, number, in: ran))), .originalQueryLayers(.memory),
          .storeLayers(.memory),
        ])
      request.priority = priority
      return Task.started { [request] in
        _ = try await studio.manager.image(for: request)
        finished.withLock { $0.append(number) }
      }
    }
    /// Queues requests one by one, each after the one before it waits for the thread.
    func queue(_ numbers: [Int], _ gates: [Int: TaggingTransformer] = [:]) async -> [Task<Void, any Error>] {
      var tasks: [Task<Void, any Error>] = []
      for number in numbers {
        let waiting = workers.waitingCount
        tasks.append(ask(number, gates[number] ?? TaggingTransformer(UInt8(number))))
        while workers.waitingCount == waiting { await Task.yield() }
      }
      return tasks
    }
    let middle = TaggingTransformer(order == .firstInFirstOut ? 2 : 3)
    middle.gate.close()
    let first = ask(100, blocker)
    await blocker.gate.waitForWaiters()
    var tasks = await queue([1, 2, 3, 4], [Int(middle.tag): middle])
    let urgent = ask(50, TaggingTransformer(50), at: .high)
    while workers.waitingCount < 5 { await Task.yield() }
    blocker.gate.open()
    await middle.gate.waitForWaiters()
    tasks += await queue([5, 6])
    middle.gate.open()
    for task in [first, urgent] + tasks { try await task.value }
    let expected = order == .firstInFirstOut ? [100, 50, 1, 2, 3, 4, 5, 6] : [100, 50, 4, 3, 6, 5, 2, 1]
    #expect(ran.withLock { $0 } == expected)
    #expect(Set(finished.withLock { $0 }) == Set(expected))
  }

  @Test func twoHundredAndOneStaggeredRequestsGetTwoHundredAndOneAnswers() async throws {
    let studio = Studio()
    let url = studio.place(.small, chunkSize: 40)
    let answers = try await withThrowingTaskGroup(of: PixelSize.self) { group in
      for index in 0..<201 {
        group.addTask {
          for _ in 0..<index % 23 { await Task.yield() }
          let options: ImageOptions = index % 3 == 0 ? .fromLoaderOnly : []
          return try await studio.manager.image(for: url, options: options).size
        }
      }
      return try await group.reduce(into: 0) { count, _ in count += 1 }
    }
    #expect(answers == 201)
    await studio.settle()
    #expect(studio.isAtRest)
    await studio.waitUntilNoRoomIsTaken()
  }

  /// Runs the rounds concurrently, because on a busy machine each takes its time.
  private func tryInParallel(_ rounds: Int, _ body: @escaping @Sendable (Int) async -> Void) async {
    let lanes = 10
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<lanes {
        group.addTask {
          for round in stride(from: lane, to: rounds, by: lanes) { await body(round) }
        }
      }
    }
  }

  @Test func elevenFailingRequestsGetElevenErrorsOfOneLoad() async {
    await tryInParallel(repetitions(200, inDebug: 40)) { round in
      let studio = Studio()
      let url = URL(string: "http://host/\(round)")!
      let isSuspended = round % 4 < 2
      studio.loader.script(url, .status(500))
      if isSuspended { studio.loader.suspend(url) }
      let completions = Watched(0)
      let tasks = (0..<11).map { _ in
        Task.started {
          defer { completions.withLock { $0 += 1 } }
          _ = try await studio.manager.image(for: url)
        }
      }
      studio.loader.resume(url)
      for task in tasks {
        await #expect { try await task.value } throws: { ($0 as? ImageError)?.code == .badStatus }
      }
      #expect(completions.withLock { $0 } == 11)
      // A caller that came after the first ones failed may have tried again, but no caller tried twice.
      if isSuspended { #expect(studio.loader.callCount <= 11) }
      #expect(studio.isAtRest)
    }
  }

  @Test func oneCallerOfAFastSourceLoadsOnce() async {
    await tryInParallel(repetitions(2000, inDebug: 300)) { round in
      let studio = Studio()
      let url = URL(string: "http://host/\(round)")!
      let succeeds = round % 4 < 2
      studio.loader.script(url, succeeds ? .body(ToyImage.small.bytes) : .status(404))
      let image = try? await studio.manager.image(for: url, context: [.storeLayers([])])
      #expect((image != nil) == succeeds)
      #expect(studio.loader.callCount == 1)
    }
  }
}
