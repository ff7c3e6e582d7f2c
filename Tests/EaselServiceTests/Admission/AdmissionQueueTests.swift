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

  /// Fifty files that ask for more than a server has: whatever else comes begins at once, and waits for its like only.
  @Test func heavyWorkLeavesPlacesToOthers() {
    var bench = QueueBench {
      $0.places = 2
      $0.heavyPlaces = 1
    }
    for number in 0..<50 { bench.arrive("heavy\(number)", 2000, heavy: true) }
    #expect(bench.lane(.heavy).running == 1)
    // Those that could not be done in time are refused at once.
    #expect(bench.lane(.heavy).waiting > 0 && bench.lane(.heavy).refused[.tooLate] ?? 0 > 0)
    for number in 0..<20 {
      #expect(bench.arrive("thumbnail\(number)", 60) == .admitted)
      #expect(bench.arrive("next\(number)", 60) == .waiting)
      bench.advance(60)
      bench.leave("thumbnail\(number)")
      #expect(bench.state("next\(number)") == .admitted)
      bench.advance(60)
      bench.leave("next\(number)")
    }
    #expect(bench.lane(.heavy).running == 1 && bench.lane(.normal).refused.isEmpty)
  }

  @Test func heavyWorkMayTakeTheOnlyPlace() {
    var bench = QueueBench { $0.heavyPlaces = 5 }
    #expect(bench.arrive("heavy", 2000, heavy: true) == .admitted)
    #expect(bench.arrive("other", 50) == .waiting)
    #expect(bench.arrive("icon", 5) == .admitted)
    bench.leave("heavy")
    #expect(bench.state("other") == .admitted)
  }

  /// An estimate of heavy work that is wrong by far makes nobody else wait or be refused.
  @Test func heavyWorkTeachesNothing() {
    var bench = QueueBench { $0.paces = 0.125...8 }
    for number in 0..<20 {
      bench.arrive("heavy\(number)", 500, heavy: true)
      bench.advance(4000)
      bench.leave("heavy\(number)")
    }
    #expect(bench.queue.pace == 1)
  }

  @Test func smallAVIFIsCheap() {
    var bench = QueueBench()
    bench.arrive("large", 5000, avif: true)
    #expect(bench.arrive("small", 10, avif: true) == .admitted)
    #expect(bench.lane(.cheap).running == 1)
  }
}
