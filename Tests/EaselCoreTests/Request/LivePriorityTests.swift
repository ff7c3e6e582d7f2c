import EaselCore
import EaselSupport
import EaselTestStudio
import Testing

struct LivePriorityTests {
  @Test func anObserverIsToldAtOnceAndOfEachChange() {
    let priority = LoadPriority.Live(.low)
    let told = Locked<[LoadPriority]>([])
    priority.onChange { value in told.withLock { $0.append(value) } }
    priority.set(.high)
    priority.set(.high)
    priority.set(.veryLow)
    #expect(told.withLock { $0 } == [.low, .high, .veryLow])
    #expect(priority.value == .veryLow)
  }

  @Test func everyObserverIsTold() {
    let priority = LoadPriority.Live()
    let told = Locked<[Int]>([])
    for index in 0..<3 { priority.onChange { _ in told.withLock { $0.append(index) } } }
    priority.set(.high)
    #expect(told.withLock { $0.sorted() } == [0, 0, 1, 1, 2, 2])
  }

  @Test func anObserverMayChangeThePriorityItself() {
    let priority = LoadPriority.Live(.low)
    let first = Locked<[LoadPriority]>([])
    let second = Locked<[LoadPriority]>([])
    priority.onChange { value in
      first.withLock { $0.append(value) }
      if value == .high { priority.set(.veryHigh) }
    }
    priority.onChange { value in second.withLock { $0.append(value) } }
    priority.set(.high)
    #expect(first.withLock { $0 } == [.low, .high, .veryHigh])
    #expect(second.withLock { $0.last } == .veryHigh)
  }

  @Test func anObserverThatComesDuringAChangeHearsTheNewest() {
    let priority = LoadPriority.Live(.low)
    let late = Locked<[LoadPriority]>([])
    priority.onChange { value in
      guard value == .high else { return }
      priority.onChange { value in late.withLock { $0.append(value) } }
    }
    priority.set(.high)
    #expect(late.withLock { $0.last } == .high)
    priority.set(.normal)
    #expect(late.withLock { $0.last } == .normal)
  }

  @Test func ofManyChangesAtOnceTheLastOneToldIsTheLastOneMade() async {
    let all = LoadPriority.allCases
    for round in 0..<repetitions(5_000, inDebug: 1_000) {
      let priority = LoadPriority.Live(.normal)
      let last = Locked<LoadPriority?>(nil)
      let latecomer = Locked<LoadPriority?>(nil)
      priority.onChange { value in last.withLock { $0 = value } }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for step in 0..<5 { priority.set(all[(round + step) % 5]) } }
        group.addTask { for step in 0..<5 { priority.set(all[(round + 4 * step) % 5]) } }
        group.addTask { priority.onChange { value in latecomer.withLock { $0 = value } } }
      }
      guard last.withLock({ $0 }) == priority.value, latecomer.withLock({ $0 }) == priority.value else {
        Issue.record("round \(round) left an observer behind")
        return
      }
    }
  }
}
