import EaselCore
import Testing

@testable import EaselService

/// Work that fills caches waits for everybody else.
struct BackgroundTests {
  private func background(_ bench: inout QueueBench, _ name: String, _ milliseconds: Int = 50) -> QueueBench.State {
    bench.arriveBehind(name, milliseconds)
  }

  @Test func itBeginsOnlyWhileNobodyElseWaits() {
    var bench = QueueBench()
    bench.arrive("running")
    #expect(background(&bench, "warm") == .waiting)
    bench.arrive("later")
    bench.leave("running")
    #expect(bench.admitted == ["running", "later"] && bench.state("warm") == .waiting)
    bench.leave("later")
    #expect(bench.admitted == ["running", "later", "warm"])
  }

  @Test func itHasHalfOfThePlacesAtMost() {
    var bench = QueueBench { $0.places = 4 }
    for number in 1...3 { _ = background(&bench, "warm \(number)") }
    #expect(bench.admitted == ["warm 1", "warm 2"])
    #expect(bench.arrive("a") == .admitted && bench.arrive("b") == .admitted)
    bench.leave("a")
    #expect(bench.state("warm 3") == .waiting)
    bench.leave("warm 1")
    #expect(bench.state("warm 3") == .admitted)
  }

  @Test func itsLineIsBounded() {
    var bench = QueueBench { $0.queueLength = 1 }
    bench.arrive("running")
    #expect(background(&bench, "warm 1") == .waiting)
    #expect(background(&bench, "warm 2") == .refused(.queueFull))
    // It takes nobody's room.
    #expect(bench.arrive("a") == .waiting)
    bench.withdraw("warm 1")
    #expect(background(&bench, "warm 3") == .waiting)
  }

  /// Whoever wants the same picture does not wait behind others because somebody warmed it.
  @Test func whoJoinsItTakesItAlong() {
    var bench = QueueBench()
    bench.arrive("running")
    _ = background(&bench, "warm")
    bench.join("client", "warm")
    bench.arrive("later")
    bench.leave("running")
    #expect(bench.admitted == ["running", "warm"])
    bench.leave("warm")
    #expect(bench.admitted == ["running", "warm", "later"])
  }

  @Test func itDoesNotCountForTheWaitOfOthers() {
    var bench = QueueBench { $0.patience = .seconds(5) }
    bench.arrive("running", 1000)
    for number in 1...50 { _ = background(&bench, "warm \(number)", 1000) }
    #expect(bench.arrive("a", 900) == .waiting)
  }

  @Test(arguments: [
    ("u=7", true), ("u=7, i", true), ("i, u=7", true), ("u=6", false), ("u=0", false), ("", false), ("u=77", false),
  ])
  func aFieldSaysThatARequestIsNotUrgent(_ field: String, _ isBackground: Bool) {
    let request = ServiceRequest(target: "/", headers: ["Priority": field])
    #expect(request.isBackground == isBackground)
  }
}
