import EaselCore
import Testing

@testable import EaselService

/// The refusals on arrival, the estimates behind them, and waiters that leave.
struct AdmissionDecisionTests {
  // MARK: Bounds of the queue

  @Test func theQueueIsBoundedInNumber() {
    var bench = QueueBench { $0.queueLength = 2 }
    for name in ["running", "a", "b"] { bench.arrive(name) }
    #expect(bench.arrive("c") == .refused(.queueFull))
    bench.withdraw("a")
    #expect(bench.arrive("d") == .waiting)
  }

  @Test func eachLaneHasItsOwnBound() {
    var bench = QueueBench { $0.queueLength = 1 }
    for name in ["running", "a"] { bench.arrive(name) }
    #expect(bench.arrive("b") == .refused(.queueFull))
    bench.arrive("cheap", 1)
    #expect(bench.arrive("cheap too", 1) == .waiting)
    #expect(bench.arrive("avif", avif: true) == .waiting)
  }

  @Test func aQueueOfNothingRefusesAtOnce() {
    var bench = QueueBench { $0.queueLength = 0 }
    #expect(bench.arrive("a") == .admitted)
    #expect(bench.arrive("b") == .refused(.queueFull))
    bench.advance(1000)
    #expect(bench.arrive("c") == .refused(.queueFull))
  }

  // MARK: Patience

  @Test func whoCannotBeServedWithinThePatienceIsRefusedOnArrival() {
    // Nobody would wait for more than 4 s, or be ready after more than 4.5.
    var bench = QueueBench { $0.patience = .seconds(5) }
    bench.arrive("running", 1000)
    bench.arrive("a", 2000)
    #expect(bench.arrive("b", 1600) == .refused(.tooLate))
    #expect(bench.arrive("c", 900) == .waiting)
    #expect(bench.arrive("d", 200) == .waiting)
    #expect(bench.arrive("e", 25) == .refused(.tooLate))
    #expect(bench.refusal("e")?.wait == 5)
  }

  /// Whoever asks before the work exists hears what would be said on arrival, and changes nothing.
  @Test(arguments: [0, 900, 1600, 25]) func whoWouldBeRefusedIsTurnedAway(_ milliseconds: Int) {
    for queueLength in [1, 10] {
      var bench = QueueBench { ($0.patience, $0.queueLength) = (.seconds(5), queueLength) }
      #expect(bench.turnAway(milliseconds) == .waiting)
      bench.arrive("running", 1000)
      bench.arrive("a", 2000)
      for _ in 0..<2 {
        let before = bench.queue.snapshot()
        let foreseen = bench.turnAway(milliseconds)
        #expect(bench.queue.snapshot().waiting == before.waiting)
        let arrived = bench.arrive("b", milliseconds)
        #expect(foreseen == (arrived == .admitted ? .waiting : arrived))
        bench.leave("b")
        bench.withdraw("b")
        bench.arrive("c", 1200)
      }
    }
  }

  @Test func whoeverWaitsIsServedHoweverLongItTakes() {
    var bench = QueueBench()
    bench.arrive("running", 1000)
    bench.arrive("patient", 1000)
    bench.advance(3_600_000)
    #expect(bench.state("patient") == .waiting)
    bench.leave("running")
    #expect(bench.state("patient") == .admitted)
  }

  @Test func workThatTakesMostOfThePatienceMayWaitForAQuarterOfIt() {
    var bench = QueueBench { $0.patience = .seconds(5) }
    bench.arrive("running", 1200)
    #expect(bench.arrive("giant", 60_000) == .waiting)
    #expect(bench.arrive("small") == .refused(.tooLate))
    bench.withdraw("giant")
    bench.arrive("a", 200)
    #expect(bench.arrive("giant too", 60_000) == .refused(.tooLate))
  }

  @Test func oneClientLeavesRoomForAnother() {
    var bench = QueueBench { $0.patience = .seconds(5) }
    bench.arrive("running", 50)
    let states = (0..<100).map { bench.arrive("page\($0)", of: "greedy") }
    // Of the 4 s for estimates it may fill half.
    #expect(states.count { $0 == .waiting } == 40)
    #expect(states.dropFirst(40).allSatisfy { $0 == .refused(.queueFull) })
    let others = (0..<10).map { bench.arrive("other\($0)", of: "other") }
    #expect(others.allSatisfy { $0 == .waiting })
    #expect(bench.arrive("modest", of: "modest") == .waiting)
  }

  @Test func theTimeToTryAgainFollowsTheQueue() {
    var bench = QueueBench { $0.queueLength = 3 }
    bench.arrive("running", 100)
    #expect(bench.arrive("late", within: 0) == .refused(.tooLate))
    #expect(bench.refusal("late")?.retryAfter == 1)
    for name in ["a", "b", "c"] { bench.arrive(name, 1000) }
    bench.arrive("d", 1000)
    #expect(bench.refusal("d")?.retryAfter == 4 && bench.refusal("d")?.wait == 4)
    var patient = QueueBench { $0.patience = .seconds(10_000) }
    patient.arrive("running", 3_000_000)
    patient.arrive("a", 7_000_000)
    #expect(patient.refusal("a")?.retryAfter == 60 && patient.refusal("a")?.wait == 3000)
  }

  // MARK: Deadlines

  @Test func aPassedDeadlineIsRefusedEvenByAnIdleServer() {
    var bench = QueueBench()
    #expect(bench.arrive("late", within: 0) == .refused(.tooLate))
    #expect(bench.arrive("late", within: -5) == .refused(.tooLate))
    #expect(bench.lane(.normal).refused == [.tooLate: 2])
  }

  @Test func anIdleServerTriesWhatTheEstimateSaysIsTooMuch() {
    var bench = QueueBench()
    #expect(bench.arrive("dear", 60_000, within: 1000) == .admitted, "Else a wrong estimate would never be corrected.")
  }

  @Test func whoCannotBeServedByItsDeadlineIsRefusedOnArrival() {
    var bench = QueueBench()
    bench.arrive("running", 1000)
    bench.arrive("a", 1000)
    // 1000 ms until the place is free, 1000 for a, 100 for itself.
    #expect(bench.arrive("b", 100, within: 2050) == .refused(.tooLate))
    #expect(bench.arrive("c", 100, within: 2150) == .waiting)
  }

  @Test func whatRunningWorkHasDoneIsNotWaitedFor() {
    var bench = QueueBench()
    bench.arrive("running", 1000)
    bench.advance(700)
    #expect(bench.arrive("b", 100, within: 450) == .waiting)
  }

  // MARK: Estimates

  @Test func placesThatAreFreeSoonerTakeMoreOfTheWork() {
    var bench = QueueBench { $0.places = 2 }
    bench.arrive("long", 3000)
    bench.arrive("short", 100)
    bench.arrive("a", 400)
    // The place of the short one is free after 500 ms, long before that of the long one.
    #expect(bench.arrive("b", 100, within: 590) == .refused(.tooLate))
    #expect(bench.arrive("c", 100, within: 610) == .waiting)
  }

  @Test func workThatTakesLongerThanEstimatedIsExpectedToGoOn() {
    var bench = QueueBench { $0.patience = .seconds(5) }
    bench.arrive("hanging", 100)
    bench.advance(1000)
    #expect(bench.arrive("a", 100, within: 340) == .refused(.tooLate), "A quarter of what it has taken.")
    #expect(bench.arrive("b", 100, within: 360) == .waiting)
    bench.advance(20_000)
    #expect(bench.arrive("c", 100) == .refused(.tooLate))
  }

  @Test func estimatesFollowTheMachine() {
    var bench = QueueBench { $0.paces = 0.125...8 }
    #expect(bench.queue.pace == 1)
    for number in 0..<100 {
      bench.arrive("\(number)", 100)
      bench.advance(300)
      bench.leave("\(number)")
    }
    #expect((2.8...3.1).contains(bench.queue.pace))
    bench.arrive("running", 100)
    #expect(bench.arrive("hopeless", 100, within: 400) == .refused(.tooLate))
    #expect(bench.arrive("in time", 100, within: 700) == .waiting)
  }

  @Test func estimatesStayWithinBounds() {
    var bench = QueueBench { $0.paces = 0.5...2 }
    for number in 0..<200 {
      bench.arrive("slow\(number)", 10)
      bench.advance(10_000)
      bench.leave("slow\(number)")
    }
    #expect(bench.queue.pace == 2)
    for number in 0..<2000 {
      bench.arrive("fast\(number)", 10)
      bench.leave("fast\(number)")
    }
    #expect(bench.queue.pace == 0.5)
  }

  @Test func workThatWasCutShortTeachesNothing() {
    var bench = QueueBench { $0.paces = 0.125...8 }
    for number in 0..<100 {
      bench.arrive("\(number)", 1000)
      bench.leave("\(number)", isMeasured: false)
    }
    #expect(bench.queue.pace == 1)
  }

  // MARK: Leaving

  @Test func waitersCanLeaveFromAnyPlace() {
    var bench = QueueBench()
    for name in ["running", "a", "b", "c", "d", "e"] { bench.arrive(name, within: 60_000) }
    for name in ["c", "a", "e"] { bench.withdraw(name) }
    #expect(bench.lane(.normal).withdrawn == 3 && bench.lane(.normal).waiting == 2)
    for name in ["running", "b", "d"] { bench.leave(name) }
    #expect(bench.admitted == ["running", "b", "d"])
    #expect(bench.lane(.normal).waitingNanoseconds == 0)
  }

  @Test func anOutcomeNeverChanges() {
    var bench = QueueBench()
    bench.arrive("running")
    bench.arrive("a")
    bench.withdraw("running")
    #expect(bench.state("running") == .admitted)
    bench.withdraw("a")
    bench.withdraw("a")
    bench.join("other", "a")
    bench.leave("running")
    #expect(bench.state("a") == .withdrawn && bench.lane(.normal).withdrawn == 1)
    #expect(bench.queue.snapshot().waitingClients == 0)
  }

  @Test func aPlaceIsGivenBackOnce() {
    var bench = QueueBench()
    for name in ["a", "b", "c"] { bench.arrive(name) }
    bench.leave("a")
    bench.leave("a")
    #expect(bench.state("b") == .admitted && bench.state("c") == .waiting)
    #expect(bench.lane(.normal).running == 1)
  }

  @Test func settingsThatWouldLetNothingPassAreCorrected() {
    var bench = QueueBench {
      $0.places = 0
      $0.avifPlaces = -1
      $0.reservedPlaces = -1
      $0.queueLength = -1
    }
    #expect(bench.arrive("a", avif: true) == .admitted)
    #expect(bench.arrive("b") == .refused(.queueFull))
  }
}
