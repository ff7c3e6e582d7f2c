import EaselSupport
import EaselTestSupport
import Testing

@testable import EaselGTK

/// The clock of a widget moves with the frames of the screen.
struct FrameClockTests {
  @Test func itMovesByTheTimeBetweenFrames() {
    let clock = FrameClock()
    clock.move(to: .seconds(1000))
    #expect(clock.uptime == .zero)
    clock.move(to: .seconds(1000) + .milliseconds(16))
    clock.move(to: .seconds(1000) + .milliseconds(33))
    #expect(clock.uptime == .milliseconds(33))
    // Frames do not go back.
    clock.move(to: .seconds(999))
    #expect(clock.uptime == .milliseconds(33))
  }

  @Test func aPauseDoesNotCount() {
    let clock = FrameClock()
    clock.move(to: .seconds(1))
    clock.move(to: .seconds(2))
    clock.pause()
    clock.move(to: .seconds(50))
    clock.move(to: .seconds(51))
    #expect(clock.uptime == .seconds(2))
  }

  @Test func sleepersWakeAtTheFrameThatIsDue() async throws {
    let clock = FrameClock()
    clock.move(to: .zero)
    let isOver = Watched(false)
    let sleeping = Task {
      try await clock.sleep(for: .milliseconds(20))
      isOver.withLock { $0 = true }
    }
    await clock.waitForSleeper()
    clock.move(to: .milliseconds(16))
    #expect(clock.sleeperCount == 1 && !isOver.withLock { $0 })
    clock.move(to: .milliseconds(33))
    try await sleeping.value
    #expect(clock.sleeperCount == 0 && isOver.withLock { $0 })
    try await clock.sleep(for: .zero)
  }

  @Test(arguments: 0..<50) func cancellingEndsASleep(_: Int) async {
    let clock = FrameClock()
    let sleeping = Task { try await clock.sleep(for: .seconds(1)) }
    sleeping.cancel()
    await #expect(throws: CancellationError.self) { try await sleeping.value }
    #expect(clock.sleeperCount == 0)
  }
}

extension FrameClock {
  /// Waits until someone sleeps.
  func waitForSleeper() async { while sleeperCount == 0 { await Task.yield() } }
}
