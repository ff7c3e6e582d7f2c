import EaselTestStudio
import EaselTestSupport
import Testing

@testable import EaselCore
@testable import EaselDisplay
@testable import EaselManager
@testable import EaselWorkers

struct ImagePlayerTests {
  let clock = ManualClock()
  let budget = ImagePlayer.FrameBudget.patient(byteLimit: 1 << 20)
  let source = FakeFrameSource(durations: [.milliseconds(100), .milliseconds(50), .milliseconds(200)], loopCount: 1)

  private func makePlayer(_ source: FakeFrameSource? = nil) -> ImagePlayer {
    ImagePlayer(source ?? self.source, budget: budget, clock: clock)
  }

  /// Plays until the end, moving the clock to each deadline, and returns the frames shown and their times.
  private func playThrough(_ player: ImagePlayer) async throws -> (frames: [Int], times: [Duration]) {
    let watch = Watch(player, clock)
    while await watch.hasMore() { clock.advanceToNextDeadline() }
    try await watch.end()
    return (watch.frames, watch.times)
  }

  @Test func eachFrameStandsForItsTimeAndTheLastOneToo() async throws {
    let (frames, times) = try await playThrough(makePlayer())
    #expect(frames == [0, 1, 2])
    #expect(times == [.zero, .milliseconds(100), .milliseconds(150)])
    #expect(clock.uptime == .milliseconds(350))
  }

  @Test func thePlaysOfThePictureAreKeptAndMayBeOverruled() async throws {
    let twice = FakeFrameSource(durations: [.milliseconds(20), .milliseconds(20)], loopCount: 2)
    #expect(try await playThrough(makePlayer(twice)).frames == [0, 1, 0, 1])
    let thrice = makePlayer(twice)
    thrice.loopCount = 3
    #expect(try await playThrough(thrice).frames == [0, 1, 0, 1, 0, 1])
  }

  @Test(arguments: [
    (ImagePlayer.Mode.reverse, [2, 1, 0]), (.bounce, [0, 1, 2, 1, 0]), (.reversedBounce, [2, 1, 0, 1, 2]),
  ])
  func theModeDecidesTheOrder(mode: ImagePlayer.Mode, expected: [Int]) async throws {
    let player = makePlayer()
    player.mode = mode
    #expect(try await playThrough(player).frames == expected)
  }

  @Test func theRateDividesTheTimes() async throws {
    let player = makePlayer()
    player.rate = 2
    let (_, times) = try await playThrough(player)
    #expect(times == [.zero, .milliseconds(50), .milliseconds(75)])
    player.rate = .nan
    #expect(player.rate == 1)
    player.rate = -3
    #expect(player.rate == 0)
  }

  @Test func aPauseTakesNothingFromTheTimeOfAFrame() async throws {
    let player = makePlayer()
    let watch = Watch(player, clock)
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(60))
    player.pause()
    #expect(player.isPaused)
    await watch.waitForRest()
    clock.advance(by: .seconds(10))
    player.resume()
    await clock.waitForSleepers()
    #expect(clock.remainingSleeps == [.milliseconds(40)])
    #expect(watch.frames == [0])
    watch.cancel()
    try await watch.end()
  }

  @Test func aChangeOfRateCountsFromNowOn() async throws {
    let player = makePlayer()
    let watch = Watch(player, clock)
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(60))
    player.rate = 0.5
    await watch.waitForSleep(of: .milliseconds(80))
    #expect(watch.frames == [0])
    player.rate = 0
    await watch.waitForRest()
    clock.advance(by: .seconds(1))
    player.rate = 1
    await watch.waitForSleep(of: .milliseconds(40))
    watch.cancel()
    try await watch.end()
  }

  @Test func aFrameThatIsSoughtIsShownAtOnceEvenWhenPaused() async throws {
    let player = makePlayer()
    let watch = Watch(player, clock)
    await clock.waitForSleepers()
    player.pause()
    player.seek(toFrame: 2)
    await watch.wait(frames: [0, 2])
    #expect(player.currentFrame == 2)
    player.seek(toFrame: 1, finishedPlays: 5)
    await watch.wait(frames: [0, 2, 1])
    #expect(player.finishedPlays == 5)
    #expect(clock.uptime == .zero)
    watch.cancel()
    try await watch.end()
  }

  @Test func pagesStayUntilAnotherIsSought() async throws {
    let pages = FakeFrameSource(durations: [.zero, .zero, .zero], loopCount: 1)
    let player = makePlayer(pages)
    let watch = Watch(player, clock)
    await watch.wait(frames: [0])
    clock.advance(by: .seconds(100))
    player.seek(toFrame: 2)
    await watch.wait(frames: [0, 2])
    clock.advance(by: .seconds(100))
    player.seek(toFrame: 1)
    await watch.wait(frames: [0, 2, 1])
    #expect(watch.frames == [0, 2, 1])
    watch.cancel()
    try await watch.end()
  }

  @Test(arguments: [(-1, 0), (Int.min, 0), (3, 2), (Int.max, 2)])
  func seekingBeyondTheFramesGoesToTheNearest(_ index: Int, _ shown: Int) async throws {
    let player = makePlayer()
    player.pause()
    player.seek(toFrame: index, finishedPlays: -4)
    let watch = Watch(player, clock)
    await watch.wait(frames: [shown])
    #expect(player.currentFrame == shown && player.finishedPlays == 0)
    watch.cancel()
    try await watch.end()
  }

  @Test(arguments: [0, Int.max]) func playsAreCountedOnFromWhateverWasSought(_ plays: Int) async throws {
    let twice = FakeFrameSource(durations: [.milliseconds(20), .milliseconds(20)])
    let player = makePlayer(twice)
    player.loopCount = plays
    player.seek(toFrame: 1, finishedPlays: .max)
    var iterator = player.makeAsyncIterator()
    #expect(try await iterator.next()?.index == 1)
    player.seek(toFrame: 0)
    #expect(try await iterator.next()?.index == 0)
    #expect(player.finishedPlays > 0)
  }

  @Test(arguments: [0, -3]) func aSourceWithoutFramesPlaysNothing(_ count: Int) async throws {
    let player = ImagePlayer(ClaimedFrames(count: count), budget: budget, clock: clock)
    player.seek(toFrame: 0)
    player.mode = .bounce
    var iterator = player.makeAsyncIterator()
    #expect(try await iterator.next() == nil)
  }

  @Test func twoPlayersOfOneTransformedPictureShareItsFrames() async throws {
    let bitmap = try Bitmap(size: source.canvasSize, format: .opaqueRGBA8)
    let bare = TransformerPipeline.closure(key: "Bare()") { Image($0.bitmap) }
    let image = try bare.transformAllFrames(of: Image(bitmap, frames: source), work: WorkContext())
    let preloaded = try PreloadedFrames(source, budget: 0, work: WorkContext())
    for frames in [try #require(image.frames), preloaded] as [any FrameSource] {
      #expect(budget.frames(of: frames) === budget.frames(of: frames))
    }
  }

  @Test func aFrameThatIsLateIsWaitedForAndNotSkipped() async throws {
    let slow = FakeFrameSource(durations: Array(repeating: .milliseconds(10), count: 4), loopCount: 1)
    slow.gate.close()
    let player = ImagePlayer(slow, budget: .patient(byteLimit: 0), clock: clock)
    let watch = Watch(player, clock)
    for shown in 1...4 {
      // The player fetches the next frame while it shows one, even with a small budget.
      await slow.gate.waitForWaiters()
      if shown > 1 { await clock.waitForSleepers() }
      clock.advance(by: .milliseconds(300))
      #expect(watch.frames == Array(0..<shown - 1))
      slow.gate.letThrough()
      await watch.wait(frames: Array(0..<shown))
    }
    slow.gate.open()
    while await watch.hasMore() { clock.advanceToNextDeadline() }
    try await watch.end()
    #expect(watch.frames == [0, 1, 2, 3])
  }

  @Test func aLittleLatenessDoesNotAddUp() async throws {
    let even = FakeFrameSource(durations: Array(repeating: .milliseconds(100), count: 5), loopCount: 1)
    let player = makePlayer(even)
    let watch = Watch(player, clock)
    for shown in 1...4 {
      await watch.wait(frames: Array(0..<shown))
      await clock.waitForSleepers()
      // The clock wakes the player 3 milliseconds late.
      clock.advance(by: .milliseconds(100 * shown + 3) - clock.uptime)
    }
    await watch.wait(frames: [0, 1, 2, 3, 4])
    await clock.waitForSleepers()
    #expect(clock.remainingSleeps == [.milliseconds(97)])
    watch.cancel()
    try await watch.end()
  }

  @Test func goingThroughItAgainPlaysAgain() async throws {
    let player = makePlayer()
    #expect(try await playThrough(player).frames == [0, 1, 2])
    #expect(try await playThrough(player).frames == [0, 1, 2])
  }

  @Test func aFrameThatFailsEndsThePlayWithItsError() async throws {
    source.fail(at: 1)
    let watch = Watch(makePlayer(), clock)
    while await watch.hasMore() { clock.advanceToNextDeadline() }
    await #expect(throws: ImageError.self) { try await watch.end() }
    #expect(watch.frames == [0])
  }

  @Test func whoIsCancelledGetsNoMoreFrames() async throws {
    let watch = Watch(makePlayer(), clock)
    await clock.waitForSleepers()
    watch.cancel()
    try await watch.end()
    #expect(watch.frames == [0])
    #expect(clock.sleeperCount == 0)
  }

  @Test func aStillPictureHasNoPlayer() throws {
    let bitmap = try source.frame(at: 0)
    #expect(ImagePlayer(Image(bitmap)) == nil)
    #expect(ImagePlayer(Image(bitmap, frames: source)) != nil)
  }

  // MARK: Memory

  @Test func twoPlayersOfOnePictureDecodeEachFrameOnce() async throws {
    let forever = FakeFrameSource(durations: Array(repeating: .milliseconds(10), count: 6), loopCount: 3)
    let (one, other) = (Watch(makePlayer(forever), clock), Watch(makePlayer(forever), clock))
    while await one.hasMore() { clock.advanceToNextDeadline() }
    while await other.hasMore() { clock.advanceToNextDeadline() }
    try await one.end()
    try await other.end()
    #expect(one.frames == other.frames && one.frames.count == 18)
    #expect(forever.made.sorted() == Array(0..<6))
  }

  @Test func aSmallBudgetKeepsNoMoreThanTheFrameThatComesNext() async throws {
    let frames = FakeFrameSource(durations: Array(repeating: .milliseconds(10), count: 8), loopCount: 2)
    let small = ImagePlayer.FrameBudget.patient(byteLimit: 0)
    let kept = small.frames(of: frames)
    let player = ImagePlayer(frames, budget: small, clock: clock)
    let watch = Watch(player, clock)
    while await watch.hasMore() {
      let frameBytes = try frames.frame(at: 0).memoryCost
      #expect(kept.keptBytes <= frameBytes)
      clock.advanceToNextDeadline()
    }
    try await watch.end()
    #expect(watch.frames == Array(0..<8) + Array(0..<8))
  }

  @Test func aFrameThatManyAskForIsMadeOnce() async throws {
    let source = FakeFrameSource(durations: Array(repeating: .milliseconds(10), count: 4))
    let frames = budget.frames(of: source)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<100 {
        group.addTask { try await frames.frame(at: index % 4) == source.frame(at: index % 4) }
      }
      for try await isRight in group { #expect(isRight) }
    }
    // Each comparison has made one more.
    #expect(source.made.count == 104)
  }

  @Test func aFrameThatFailsFailsThoseWhoAskForItAlone() async throws {
    let source = FakeFrameSource(durations: Array(repeating: .milliseconds(10), count: 3))
    source.fail(at: 1)
    let frames = budget.frames(of: source)
    for _ in 0..<2 {
      await #expect(throws: ImageError.self) { try await frames.frame(at: 1) }
      #expect(try await frames.frame(at: 2).size == source.canvasSize)
    }
  }

  @Test func noMoreFramesArePlannedThanThereIsRoomFor() throws {
    let source = FakeFrameSource(durations: Array(repeating: .milliseconds(10), count: 90))
    let bytes = source.canvasSize.area * 4
    for (limit, count) in [(0, 2), (bytes, 2), (4 * bytes, 5), (.max, 91)] {
      let budget = ImagePlayer.FrameBudget.patient(byteLimit: limit)
      #expect(budget.frames(of: source).mostPlanned == count)
    }
  }

  @Test func allPlayersShareOneBudget() async throws {
    let size = PixelSize(width: 16, height: 16)
    let sources = (0..<4).map { _ in
      FakeFrameSource(durations: Array(repeating: .milliseconds(10), count: 16), canvasSize: size)
    }
    let frameBytes = try sources[0].frame(at: 0).memoryCost
    let budget = ImagePlayer.FrameBudget.patient(byteLimit: frameBytes * 16)
    let kept = sources.map { budget.frames(of: $0) }
    let watches = sources.map { Watch(ImagePlayer($0, budget: budget, clock: clock), clock) }
    // These are more frames than a whole play has.
    for _ in 0..<20 {
      await clock.waitForSleepers(count: 4)
      var bytes = 0
      for frames in kept { bytes += frames.keptBytes }
      #expect(bytes <= budget.byteLimit)
      clock.advance(by: .milliseconds(10))
    }
    for watch in watches {
      watch.cancel()
      try await watch.end()
    }
  }

  @Test func aBudgetForgetsPicturesThatNobodyPlays() async throws {
    let budget = ImagePlayer.FrameBudget.patient(byteLimit: 1000)
    do {
      let player = ImagePlayer(source, budget: budget, clock: clock)
      #expect(budget.share == 1000)
      _ = ImagePlayer(source, budget: budget, clock: clock)
      #expect(budget.share == 1000)
      let other = FakeFrameSource(durations: [.milliseconds(10)])
      let another = ImagePlayer(other, budget: budget, clock: clock)
      #expect(budget.share == 500)
      withExtendedLifetime((player, another)) {}
    }
    budget.byteLimit = 2000
    // Players leave the budget in tasks of their own, which may still hold the frames for a moment.
    while budget.share != 2000 { await Task.yield() }
  }
}
