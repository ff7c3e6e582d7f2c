import EaselTestSupport
import Testing

@testable import EaselCore
@testable import EaselWorkers

struct PatienceTests {
  private let clock = ManualClock()
  private let mayEnd = Watched(false)
  private let unclaimed = Watched<[Int]>([])

  private func wait(for body: @escaping @Sendable () async -> Int) async throws -> Int {
    try await Timeout.wait(atMost: .seconds(1), by: clock) {
      ImageError(.timedOut, "It is late.")
    } unclaimed: { [unclaimed] value in
      unclaimed.withLock { $0.append(value) }
    } for: {
      await body()
    }
  }

  /// Waits for work that cannot be cancelled.
  private func wait() async throws -> Int {
    try await wait { [mayEnd] in
      await Task { await mayEnd.wait { $0 } }.value
      return 5
    }
  }

  @Test func aValueThatComesInTimeIsReturned() async throws {
    mayEnd.withLock { $0 = true }
    #expect(try await wait() == 5)
    #expect(unclaimed.withLock { $0 } == [])
  }

  @Test func aValueThatComesTooLateIsUnclaimed() async {
    let waiting = Task { try await wait() }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    await #expect(throws: ImageError.self) { try await waiting.value }
    #expect(unclaimed.withLock { $0 } == [])
    mayEnd.withLock { $0 = true }
    await unclaimed.wait { $0 == [5] }
  }

  @Test func aValueOfACancelledWaitIsUnclaimed() async {
    let waiting = Task { try await wait() }
    await clock.waitForSleepers()
    waiting.cancel()
    await #expect(throws: ImageError.self) { try await waiting.value }
    mayEnd.withLock { $0 = true }
    await unclaimed.wait { $0 == [5] }
  }

  @Test func eachValueIsEitherReturnedOrUnclaimed() async {
    let made = Watched(0)
    var returned = 0
    for round in 0..<100 {
      let waiting = Task {
        try await wait {
          made.withLock { $0 += 1 }
          return round
        }
      }
      for _ in 0..<round % 8 { await Task.yield() }
      waiting.cancel()
      if (try? await waiting.value) != nil { returned += 1 }
    }
    // A value that nobody waits for comes after its caller has left.
    let kept = returned
    await unclaimed.wait { [made] values in kept + values.count == made.withLock { $0 } }
    #expect(Set(unclaimed.withLock { $0 }).count == unclaimed.withLock { $0.count })
  }
}
