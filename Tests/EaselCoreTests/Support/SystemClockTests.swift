import EaselCore
import EaselTestTags
import FoundationEssentials
import Testing

@Suite(.tags(.alone))
struct SystemClockTests {
  private let clock = SystemClock()

  @Test func uptimeNeverGoesBack() {
    var last = clock.uptime
    #expect(last > .zero)
    for _ in 0..<1000 {
      let now = clock.uptime
      #expect(now >= last)
      last = now
    }
  }

  @Test func blockingLastsAtLeastAsLongAsAsked() {
    let start = clock.uptime
    clock.block(for: .milliseconds(2))
    #expect(clock.uptime - start >= .milliseconds(2))
  }

  @Test func noTimeOrLessIsNoWait() async throws {
    clock.block(for: .zero)
    clock.block(for: .seconds(-5))
    try await clock.sleep(for: .zero)
    try await clock.sleep(for: .seconds(-5))
  }

  @Test func sleepingLastsAtLeastAsLongAsAskedAndEndsWithTheTask() async throws {
    let start = clock.uptime
    try await clock.sleep(for: .milliseconds(2))
    #expect(clock.uptime - start >= .milliseconds(2))
    let sleeper = Task { try await SystemClock().sleep(for: .seconds(100_000)) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(1e20)])
  func noTimeIsTooLongToSleep(duration: Duration) async {
    let sleeper = Task { try await SystemClock().sleep(for: duration) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test func theDateIsInThisCentury() {
    #expect((946_684_800..<4_102_444_800).contains(clock.date.timeIntervalSince1970))
  }
}
