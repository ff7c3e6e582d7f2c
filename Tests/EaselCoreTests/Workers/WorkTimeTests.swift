import EaselTestStudio
import Testing

@testable import EaselCore

struct WorkTimeTests {
  private let clock = SteppedClock()

  @Test func onlyTheTimeInWhichSomeoneWorksCounts() {
    let time = WorkTime(.seconds(4), clock: clock)
    clock.advance(by: .seconds(100))
    #expect(time.begin() == .seconds(4))
    clock.advance(by: .seconds(3))
    #expect(!time.isOver)
    time.pause()
    clock.advance(by: .seconds(100))
    #expect(!time.isOver)
    #expect(time.begin() == .seconds(1))
    clock.advance(by: .seconds(1))
    #expect(!time.isOver)
    clock.advance(by: .nanoseconds(1))
    #expect(time.isOver)
  }

  @Test func aSecondThreadThatBeginsBeforeTheFirstIsDoneHasNoTimeOfItsOwn() {
    let time = WorkTime(.seconds(4), clock: clock)
    time.begin()
    clock.advance(by: .seconds(1))
    #expect(time.begin() == .seconds(3))
    time.pause()
    clock.advance(by: .seconds(2))
    time.pause()
    #expect(time.begin() == .seconds(1))
  }

  @Test func timeThatIsGivenBackIsLeft() {
    let time = WorkTime(.seconds(4), clock: clock)
    time.giveBack(.seconds(1))
    #expect(time.begin() == .seconds(5))
    clock.advance(by: .seconds(5))
    #expect(time.left == .zero && !time.isOver)
    time.giveBack(.seconds(2))
    clock.advance(by: .seconds(2))
    #expect(!time.isOver)
    clock.advance(by: .nanoseconds(1))
    #expect(time.isOver && time.left == .nanoseconds(-1))
    time.giveBack(.seconds(-3))
    #expect(time.left == .nanoseconds(-1))
  }

  @Test func notMoreThanNineTimesTheBudgetIsGivenBack() {
    let time = WorkTime(.seconds(4), clock: clock)
    for _ in 0..<20 { time.giveBack(.seconds(3)) }
    #expect(time.begin() == .seconds(40))
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(1e20), .seconds(-1), .seconds(-1e20)])
  func noTimeIsTooLongOrTooShortToCount(budget: Duration) {
    clock.advance(by: .seconds(1_000_000_000))
    let time = WorkTime(budget, clock: clock)
    #expect(time.begin() == budget.bounded)
    clock.advance(by: .seconds(1))
    #expect(time.isOver == (budget < .zero))
    time.pause()
    #expect(!time.isOver)
  }
}
