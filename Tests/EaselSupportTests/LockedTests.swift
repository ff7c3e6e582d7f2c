import EaselSupport
import Testing

struct LockedTests {
  @Test func everyIncrementOfManyTasksIsCounted() async {
    let counter = Locked(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<1000 { counter.withLock { $0 += 1 } } }
      }
    }
    #expect(counter.withLock { $0 } == 8000)
  }

  @Test func anErrorThrownInsideLeavesTheLockOpen() {
    struct Failure: Error {}
    let value = Locked(1)
    #expect(throws: Failure.self) { try value.withLock { _ in throw Failure() } }
    #expect(value.withLock { $0 } == 1)
  }
}
