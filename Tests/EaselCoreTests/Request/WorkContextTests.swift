import EaselTestStudio
import Testing

@testable import EaselCore

struct WorkContextTests {
  private let clock = SteppedClock()

  private func context(_ limit: Duration, _ cancellation: Cancellation = Cancellation()) -> WorkContext {
    var limits = Limits()
    limits.decodeTime = limit
    return WorkContext(limits: limits, context: [.scaleFactor(2)], cancellation: cancellation, clock: clock)
  }

  @Test func workGoesOnUpToItsDeadlineAndNotPastIt() throws {
    clock.advance(by: .seconds(1000))
    let work = context(.seconds(30))
    clock.advance(by: .seconds(1000))
    work.time.begin()
    try work.checkCancellation()
    clock.advance(by: .seconds(30))
    try work.checkCancellation()
    clock.advance(by: .nanoseconds(1))
    let error = #expect(throws: ImageError.self) { try work.checkCancellation() }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message == "The work took longer than 30.0 seconds. Raise Limits.decodeTime to allow it.")
  }

  @Test func workThatNobodyWantsEndsAtOnce() throws {
    let cancellation = Cancellation()
    let work = context(.seconds(1), cancellation)
    let copy = work
    try copy.checkCancellation()
    cancellation.cancel()
    cancellation.cancel()
    clock.advance(by: .seconds(5))
    for one in [work, copy] {
      let error = #expect(throws: ImageError.self) { try one.checkCancellation() }
      #expect(error?.code == .cancelled, "being unwanted says more than being late")
    }
    #expect(cancellation.isCancelled)
  }

  @Test func aTimeThatNeverEndsIsNoOverflow() throws {
    let work = context(.seconds(Int64.max))
    work.time.begin()
    clock.advance(by: .seconds(1_000_000))
    try work.checkCancellation()
  }

  @Test func itCarriesTheContextOfTheLoad() {
    #expect(context(.zero).context[.scaleFactor] == 2)
    #expect(WorkContext().limits == Limits())
  }
}
