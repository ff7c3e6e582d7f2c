import EaselCore
import Testing

@testable import EaselService

struct AdmissionQueueTests {
  // MARK: Order

  @Test func whileWaitsAreShortTheFirstToComeIsTheFirstServed() {
    var bench = QueueBench()
    #expect(bench.arrive("a") == .admitted)
    for name in ["b", "c", "d"] { #expect(bench.arrive(name) == .waiting) }
    for name in ["a", "b", "c", "d"] {
      bench.advance(10)
      bench.leave(name)
    }
    #expect(bench.admitted == ["a", "b", "c", "d"])
    #expect(bench.queue.snapshot().running == 0 && bench.queue.snapshot().waiting == 0)
  }

  @Test func lanesShareTheOrderWhileWaitsAreShort() {
    var bench = QueueBench { $0.reservedPlaces = 0 }
    bench.arrive("running")
    bench.arrive("first", avif: true)
    bench.arrive("second", 1)
    bench.arrive("third")
    for name in ["running", "first", "second"] { bench.leave(name) }
    #expect(bench.admitted == ["running", "first", "second", "third"])
  }

  @Test func underOverloadTheNewestIsServedFirst() {
    var bench = QueueBench()
    bench.arrive("running")
    bench.arrive("old")
    bench.advance(90)
    bench.arrive("middle")
    bench.advance(11)
    bench.arrive("new")
    bench.leave("running")
    #expect(bench.admitted.last == "new", "The oldest has waited for longer than the target.")
    bench.leave("new")
    #expect(bench.admitted.last == "middle")
    bench.leave("middle")
    #expect(bench.admitted.last == "old")
  }

  @Test func theOrderTurnsBackWhenTheOldWaitersAreGone() {
    var bench = QueueBench()
    bench.arrive("running")
    bench.arrive("old")
    bench.advance(200)
    for name in ["a", "b", "c"] { bench.arrive(name) }
    bench.withdraw("old")
    bench.leave("running")
    #expect(bench.admitted.last == "a")
  }

  @Test func exactlyTheTargetIsNoOverload() {
    var bench = QueueBench()
    bench.arrive("running")
    bench.arrive("old")
    bench.advance(100)
    bench.arrive("new")
    bench.leave("running")
    #expect(bench.admitted.last == "old")
  }

  @Test func underOverloadLanesGetEqualSharesOfTime() {
    var bench = QueueBench { $0.reservedPlaces = 0 }
    bench.arrive("running", 400)
    for number in 0..<200 { bench.arrive("normal\(number)", 100) }
    for number in 0..<200 { bench.arrive("cheap\(number)", 10) }
    bench.advance(150)
    bench.leave("running")
    var time = [AdmissionLane.cheap: 0, .normal: 0]
    for _ in 0..<110 {
      guard let name = bench.admitted.last else { break }
      time[name.hasPrefix("cheap") ? .cheap : .normal, default: 0] += name.hasPrefix("cheap") ? 10 : 100
      bench.advance(1)
      bench.leave(name)
    }
    let ratio = Double(time[.cheap] ?? 0) / Double(time[.normal] ?? 1)
    #expect((0.7...1.4).contains(ratio), "\(time)")
  }

  @Test func aLaneThatWasEmptyHasSavedNothing() {
    var bench = QueueBench { $0.reservedPlaces = 0 }
    bench.arrive("running", 30)
    // Only normal work for a long time.
    for number in 0..<50 {
      bench.arrive("n\(number)", 30)
      bench.leave(bench.admitted.last ?? "")
    }
    for number in 0..<10 { bench.arrive("late\(number)", 30) }
    for number in 0..<10 { bench.arrive("cheap\(number)", 15) }
    bench.advance(200)
    for _ in 0..<6 { bench.leave(bench.admitted.last ?? "") }
    #expect(bench.admitted.suffix(6).contains { $0.hasPrefix("late") }, "Cheap work does not catch up on the past.")
  }

  // MARK: Lanes

  @Test func cheapWorkNeverWaitsBehindDearWork() {
    var bench = QueueBench()
    bench.arrive("dear", 5000)
    for number in 0..<50 { bench.arrive("queued\(number)", 5000) }
    #expect(bench.arrive("avatar", 5) == .admitted)
    #expect(bench.lane(.cheap).running == 1 && bench.lane(.normal).running == 1)
    #expect(bench.arrive("second avatar", 5) == .waiting)
    bench.leave("avatar")
    #expect(bench.state("second avatar") == .admitted)
  }

  @Test func reservedPlacesStayFreeForCheapWork() {
    var bench = QueueBench()
    bench.arrive("dear")
    #expect(bench.arrive("dear too") == .waiting)
    bench.arrive("cheap", 1)
    bench.leave("cheap")
    #expect(bench.state("dear too") == .waiting)
  }

  @Test func cheapWorkTakesCommonPlacesFirst() {
    var bench = QueueBench { $0.places = 2 }
    bench.arrive("cheap", 1)
    #expect(bench.arrive("dear") == .admitted)
    #expect(bench.arrive("dear too") == .waiting)
    bench.arrive("cheap too", 1)
    bench.leave("cheap")
    #expect(bench.state("dear too") == .admitted, "The common place went to the one who waited for it.")
  }

  @Test func encodingAVIFHasALimitOfItsOwn() {
    var bench = QueueBench {
      $0.places = 4
      $0.avifPlaces = 2
    }
    for name in ["a", "b"] { #expect(bench.arrive(name, avif: true) == .admitted) }
    #expect(bench.arrive("c", avif: true) == .waiting)
    for name in ["d", "e"] { #expect(bench.arrive(name) == .admitted) }
    #expect(bench.arrive("f") == .waiting)
    bench.leave("d")
    #expect(bench.state("f") == .admitted, "Other work passes AVIF that has to wait for AVIF.")
    #expect(bench.state("c") == .waiting)
    bench.leave("a")
    #expect(bench.state("c") == .admitted)
  }

  @Test func smallAVIFIsCheap() {
    var bench = QueueBench()
    bench.arrive("large", 5000, avif: true)
    #expect(bench.arrive("small", 10, avif: true) == .admitted)
    #expect(bench.lane(.cheap).running == 1)
  }

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

  @Test func theQueueIsBoundedInCost() {
    var bench = QueueBench { $0.queueTime = .milliseconds(1000) }
    bench.arrive("running")
    #expect(bench.arrive("a", 600) == .waiting)
    #expect(bench.arrive("b", 400) == .waiting)
    #expect(bench.arrive("c", 30) == .refused(.queueFull))
    #expect(bench.lane(.normal).waitingNanoseconds == 1_000_000_000)
  }

  @Test func workThatIsDearerThanTheQueueMayWaitAlone() {
    var bench = QueueBench { $0.queueTime = .milliseconds(1000) }
    bench.arrive("running")
    #expect(bench.arrive("giant", 60_000) == .waiting)
    #expect(bench.arrive("small", 30) == .refused(.queueFull))
  }

  @Test func aQueueOfNothingRefusesAtOnce() {
    var bench = QueueBench { $0.queueLength = 0 }
    #expect(bench.arrive("a") == .admitted)
    #expect(bench.arrive("b") == .refused(.queueFull))
    bench.advance(1000)
    #expect(bench.arrive("c") == .refused(.queueFull))
  }

  @Test func underOverloadTheOldestMakesRoom() {
    var bench = QueueBench { $0.queueLength = 2 }
    for name in ["running", "a", "b"] { bench.arrive(name) }
    bench.advance(101)
    #expect(bench.arrive("c") == .waiting)
    #expect(bench.state("a") == .refused(.queueFull) && bench.state("b") == .waiting)
  }

  @Test func aGiantDoesNotDriveTheOthersOut() {
    var bench = QueueBench { $0.queueTime = .milliseconds(1000) }
    bench.arrive("running")
    for name in ["a", "b", "c", "d"] { bench.arrive(name, 200) }
    bench.advance(101)
    #expect(bench.arrive("giant", 501) == .refused(.queueFull))
    for name in ["a", "b", "c", "d"] { #expect(bench.state(name) == .waiting) }
    #expect(bench.arrive("modest", 300) == .waiting)
    #expect(bench.state("a") == .refused(.queueFull) && bench.state("b") == .waiting)
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

  @Test func whoCannotBeServedInTimeIsRefusedOnArrival() {
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
    bench.advance(900)
    #expect(bench.arrive("b", 100, within: 250) == .waiting)
  }

  @Test func aWaiterIsDroppedWhenItsLastChanceHasPassed() {
    var bench = QueueBench()
    bench.arrive("running", 100)
    bench.arrive("b", 100, within: 500)
    bench.advance(400)
    #expect(bench.state("b") == .waiting)
    #expect(bench.queue.nextDeadline == .milliseconds(400))
    bench.advance(1)
    #expect(bench.state("b") == .refused(.tooLate))
    #expect(bench.queue.nextDeadline == nil)
  }

  @Test func aPlaceGoesToNobodyWhoIsTooLate() {
    var bench = QueueBench()
    bench.arrive("running", 100)
    bench.arrive("b", 100, within: 300)
    bench.arrive("c", 100, within: 900)
    bench.now += .milliseconds(250)
    bench.leave("running")
    #expect(bench.state("b") == .refused(.tooLate) && bench.state("c") == .admitted)
  }

  @Test func underOverloadTheOldestIsDroppedAsSoonAsItHasNoChance() {
    var bench = QueueBench()
    bench.arrive("running", 1000)
    #expect(bench.arrive("old", 100, within: 2000) == .waiting)
    bench.advance(101)
    for number in 0..<3 { #expect(bench.arrive("new\(number)", 300, within: 3000) == .waiting) }
    #expect(bench.state("old") == .waiting)
    bench.arrive("new3", 300, within: 3000)
    #expect(bench.state("old") == .refused(.tooLate), "The four newer ones leave it no time.")
  }

  @Test func whoHasNoDeadlineIsNeverTooLate() {
    var bench = QueueBench()
    bench.arrive("running", 1000)
    bench.arrive("patient", 1000)
    bench.advance(3_600_000)
    #expect(bench.state("patient") == .waiting && bench.queue.nextDeadline == nil)
    bench.leave("running")
    #expect(bench.state("patient") == .admitted)
  }

  @Test func theTimeToTryAgainFollowsTheQueue() {
    var bench = QueueBench {
      $0.queueLength = 3
      $0.queueTime = .longest
    }
    bench.arrive("running", 100)
    #expect(bench.arrive("late", within: 0) == .refused(.tooLate))
    #expect(bench.retryAfter("late") == 1)
    for name in ["a", "b", "c"] { bench.arrive(name, 4000) }
    bench.arrive("d", 4000)
    #expect(bench.retryAfter("d") == 13)
    bench.withdraw("c")
    bench.arrive("giant", 3_000_000)
    bench.arrive("e")
    #expect(bench.retryAfter("e") == 60)
  }

  // MARK: Estimates

  @Test func estimatesFollowTheMachine() {
    var bench = QueueBench { $0.paces = 0.125...8 }
    #expect(bench.queue.pace == 1)
    for number in 0..<100 {
      bench.arrive("\(number)", 100)
      bench.advance(300)
      bench.leave("\(number)")
    }
    #expect((2.5...3.1).contains(bench.queue.pace))
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
    #expect(bench.lane(.normal).waitingNanoseconds == 0 && bench.queue.nextDeadline == nil)
  }

  @Test func anOutcomeNeverChanges() {
    var bench = QueueBench()
    bench.arrive("running")
    bench.arrive("a")
    bench.withdraw("running")
    #expect(bench.state("running") == .admitted)
    bench.withdraw("a")
    bench.withdraw("a")
    bench.leave("running")
    #expect(bench.state("a") == .withdrawn && bench.lane(.normal).withdrawn == 1)
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
