import EaselTestStudio
import EaselTestSupport
import Testing

@testable import EaselCore
@testable import EaselDisplay
@testable import EaselWorkers

/// A frame that never comes costs a player the time limit and the process one thread.
struct HangingFramesTests {
  private let clock = ManualClock()

  private func nextFrame(of player: ImagePlayer) async throws -> Int? {
    var frames = player.makeAsyncIterator()
    return try await frames.next()?.index
  }

  @Test func aFrameThatHangsFailsThePlayerAndIsNotAskedForAgainUntilItReturns() async throws {
    let workers = WorkerSet(threads: 1, clock: clock)
    let source = FakeFrameSource(durations: [.milliseconds(20), .milliseconds(20)], loopCount: 1)
    let player = ImagePlayer(source, budget: ImagePlayer.FrameBudget(byteLimit: 0, workers: workers), clock: clock)
    source.gate.close()
    let first = Task { try await nextFrame(of: player) }
    await source.gate.waitForWaiters()
    await clock.waitForSleepers()
    clock.advance(by: .seconds(31))
    let error = await #expect(throws: ImageError.self) { try await first.value }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.hasPrefix("Frame 0 cannot be shown: the source of the frames did not return") == true)
    await #expect(throws: ImageError.self) { try await nextFrame(of: player) }
    #expect(workers.lostCount == 1)
    #expect(try await workers.run { 1 } == 1)
    source.gate.open()
    await waitUntil { workers.lostCount == 0 }
    #expect(try await nextFrame(of: player) == 0)
  }

  @Test(arguments: [1e-300, 1e300])
  func noPaceIsTooSlowOrTooFastToCount(rate: Double) async throws {
    let source = FakeFrameSource(durations: [.seconds(Int64.max), .seconds(1e20)], loopCount: 1)
    #expect(source.totalDuration > .zero)
    let player = ImagePlayer(source, clock: SystemClock())
    player.rate = rate
    #expect(try await nextFrame(of: player) == 0)
    let next = Task { try await nextFrame(of: player) }
    next.cancel()
    #expect(try await next.value == nil)
  }
}
