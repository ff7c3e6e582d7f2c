import EaselCore
import Testing

@testable import EaselService

struct AdmissionQueueTests {
  // MARK: Order

  @Test func whoCameFirstIsServedFirst() {
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

  @Test func theWorkOfOneClientKeepsItsOrderWhateverItCosts() {
    var bench = QueueBench()
    bench.arrive("running")
    for (name, cost) in [("a", 200), ("b", 30), ("c", 90), ("d", 25)] { bench.arrive(name, cost, of: "page") }
    bench.finishAll { _ in 50 }
    #expect(bench.admitted == ["running", "a", "b", "c", "d"])
  }

  @Test func littleWorkGoesBeforeMuch() {
    var bench = QueueBench()
    bench.arrive("running")
    bench.arrive("much", 300)
    bench.arrive("little", 30)
    bench.leave("running")
    #expect(bench.admitted.last == "little")
  }

  @Test func littleWorkPassesOnlyAsLongAsOthersBeginInTime() {
    var bench = QueueBench()
    bench.arrive("running", 100)
    // In plain order of arrival it would begin after 100 ms, so it begins after 300 at the latest.
    bench.arrive("much", 1000)
    bench.advance(100)
    var passed = 0
    for number in 0..<20 {
      bench.arrive("little\(number)", 30)
      bench.leave(bench.admitted.last ?? "")
      guard bench.admitted.last != "much" else { break }
      passed += 1
      bench.advance(30)
    }
    #expect(passed == 6 && bench.admitted.last == "much")
    #expect(bench.now == .milliseconds(280))
  }

  /// After the running work and the two before it, the last of the page begins after 1.8 s.
  @Test(arguments: [(nil, "other"), (2500, "a")] as [(Int?, String)])
  func whoWouldMakeSomebodyLateLetsTheFirstOneGo(deadlineOfLast: Int?, next: String) {
    var bench = QueueBench()
    bench.arrive("running", 1000)
    for name in ["a", "b"] { bench.arrive(name, 400, of: "page") }
    bench.arrive("last", 400, of: "page", within: deadlineOfLast)
    bench.advance(1000)
    bench.arrive("other", 390)
    bench.leave("running")
    #expect(bench.admitted.last == next)
  }

  @Test func lanesShareTheOrder() {
    var bench = QueueBench { $0.reservedPlaces = 0 }
    bench.arrive("running")
    bench.arrive("first", avif: true)
    bench.arrive("second", 49)
    bench.arrive("third", 19)
    for name in ["running", "third", "second"] { bench.leave(name) }
    #expect(bench.admitted == ["running", "third", "second", "first"])
  }

  // MARK: Clients

  @Test func oneWhoAsksForMuchDelaysAnotherByOnePiece() {
    var bench = QueueBench()
    for number in 0..<40 { bench.arrive("page\(number)", of: "greedy") }
    for number in 0..<10 {
      bench.advance(25)
      bench.arrive("modest\(number)", of: "modest")
      var passed = 0
      while bench.state("modest\(number)") == .waiting {
        bench.advance(25)
        bench.leave(bench.admitted.last ?? "")
        passed += 1
      }
      #expect(passed <= 2)
      bench.advance(50)
      bench.leave("modest\(number)")
    }
  }

  @Test func clientsShareTimeAndNotPieces() {
    var bench = QueueBench { $0.patience = .seconds(60) }
    bench.arrive("running")
    for number in 0..<20 { bench.arrive("dear\(number)", 100, of: "dear") }
    for number in 0..<60 { bench.arrive("small\(number)", 25, of: "small") }
    bench.finishAll { $0.hasPrefix("dear") ? 100 : 25 }
    // The first second: as much time for each of the two.
    let begun = bench.admitted.dropFirst().prefix(25)
    #expect((4...6).contains(begun.count { $0.hasPrefix("dear") }), "\(begun)")
    #expect(bench.admitted.count == 81)
  }

  @Test func aClientThatCameBackOwesNothing() {
    var bench = QueueBench()
    bench.arrive("running")
    for number in 0..<20 { bench.arrive("left\(number)", of: "reader") }
    bench.arrive("other", of: "other")
    for number in 0..<20 { bench.withdraw("left\(number)") }
    bench.arrive("next", 40, of: "reader")
    bench.leave("running")
    #expect(bench.admitted.last == "next", "It has nothing before it, and is cheaper.")
  }

  @Test func clientsAreForgottenWhenNothingWaitsForThem() {
    var bench = QueueBench { $0.patience = .seconds(100) }
    bench.arrive("running")
    for number in 0..<300 { bench.arrive("\(number)", 30) }
    #expect(bench.queue.snapshot().waitingClients == 300)
    for number in 0..<100 { bench.withdraw("\(number)") }
    #expect(bench.queue.snapshot().waitingClients == 200)
    bench.finishAll { _ in 30 }
    #expect(bench.queue.snapshot().waitingClients == 0)
  }

  @Test func whatTwoClientsWantGoesAsEarlyAsTheLuckierOnesWork() {
    var bench = QueueBench()
    bench.arrive("running")
    for number in 0..<30 { bench.arrive("page\(number)", of: "greedy") }
    bench.join("greedy", "page20")
    bench.join("modest", "page29")
    bench.leave("running")
    bench.leave("page0")
    #expect(bench.admitted == ["running", "page0", "page29"])
    bench.join("third", "page29")
    bench.leave("page29")
    #expect(bench.admitted.last == "page1")
  }

  @Test func cheapWorkThatWasAheadOfItsTurnPutsNobodyBehind() {
    var bench = QueueBench()
    bench.arrive("running", 1000)
    for number in 0..<10 { bench.arrive("page\(number)", 100, of: "greedy") }
    #expect(bench.arrive("icon", 5, of: "greedy") == .admitted)
    bench.arrive("icon too", 5, of: "greedy")
    bench.leave("icon")
    #expect(bench.state("icon too") == .admitted)
    bench.arrive("modest", 100, of: "modest")
    bench.leave("running")
    bench.leave("page0")
    #expect(bench.admitted.last == "modest")
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
