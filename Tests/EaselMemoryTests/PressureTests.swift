import EaselCore
import EaselMemory
import EaselSupport
import EaselTestSupport
import FoundationEssentials
import Testing

@Suite struct PressureTests {
  @Test func pressureShrinksTheStoreInSteps() async {
    let source = PressureByHand()
    let store = LRUMemoryStore(.init(costLimit: 1000), clock: ManualClock(), pressure: { source })
    for number in 0..<100 { store.store(entry(cost: 10), for: key(number)) }
    await source.send(.stalling)
    #expect(store.totalCost == 750)
    await source.send(.stalling)
    #expect(store.totalCost == 560)
    await source.send(.atLimit)
    #expect(store.totalCost == 280)
    #expect(store.contains(key(99)) && !store.contains(key(71)))
    source.stop()
  }

  @Test func aStoreThatMayNotShrinkDoesNot() async {
    let source = PressureByHand()
    let store = LRUMemoryStore(.init(costLimit: 1000), clock: ManualClock(), pressure: { source })
    store.store(entry(cost: 10), for: key(1))
    store.configuration.shrinksUnderPressure = false
    await source.send(.atLimit)
    #expect(store.count == 1)
    source.stop()
  }

  @Test func nothingIsWatchedBeforeThereIsSomethingToLose() {
    let made = Locked(0)
    let store = LRUMemoryStore(.init(costLimit: 1000), clock: ManualClock()) {
      made.withLock { $0 += 1 }
      return nil
    }
    _ = store.entry(for: key(1))
    #expect(made.withLock { $0 } == 0)
    store.store(entry(), for: key(1))
    store.store(entry(), for: key(2))
    #expect(made.withLock { $0 } == 1)
  }

  @Test func theWatchEndsWithTheStore() {
    let source = PressureByHand()
    var store: LRUMemoryStore? = LRUMemoryStore(.init(costLimit: 1000), clock: ManualClock(), pressure: { source })
    store?.store(entry(), for: key(1))
    store = nil
    #expect(source.isStopped)
  }

  @Test func theKernelsOwnSourceCanBeStopped() throws {
    try #require(SystemPressure(stalls: "/nonexistent", events: nil) == nil)
    guard let source = SystemPressure() else {
      print("skipped: this kernel tells nothing about memory pressure")
      return
    }
    source.stop()
    #expect(source.next() == nil)
    #expect(source.next() == nil)
  }

  @Test func theEventsThatComeBeforeKillingAreCounted() {
    let text = "low 4\nhigh 2\nmax 3\noom 1\noom_kill 7\noom_group_kill 9\n"
    #expect(SystemPressure.limitHits(in: text) == 6)
    #expect(SystemPressure.limitHits(in: "") == 0)
    #expect(SystemPressure.limitHits(in: "high x\nmax\n") == 0)
  }
}
