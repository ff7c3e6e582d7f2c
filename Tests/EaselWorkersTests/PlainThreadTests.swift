import EaselSupport
import EaselTestSupport
import Glibc
import Testing

struct PlainThreadTests {
  @Test func theBodyRunsOnceOnAnotherThread() async {
    let areTasks = Watched<[Bool]>([])
    #expect(PlainThread.start { areTasks.withLock { $0.append(withUnsafeCurrentTask { $0 != nil }) } })
    await areTasks.wait { !$0.isEmpty }
    // A thread of the task pool would have a current task. Thread names prove nothing, because they are reused.
    #expect(areTasks.withLock { $0 } == [false])
  }

  @Test func itsStackHasRoomForCLibraries() async {
    let sum = Watched(0)
    PlainThread.start {
      let result = Self.sum(goingDeep: 1000)
      sum.withLock { $0 = result }
    }
    await sum.wait { $0 > 0 }
    #expect(sum.withLock { $0 } == 500_500)
  }

  /// Uses half a kilobyte of stack for each step.
  private static func sum(goingDeep depth: Int) -> Int {
    withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { bytes in
      bytes.storeBytes(of: depth, as: Int.self)
      return depth == 0 ? 0 : bytes.load(as: Int.self) + sum(goingDeep: depth - 1)
    }
  }

  @Test func whatTheBodyHeldIsLetGoWhenTheThreadEnds() async {
    let ended = Watched(0)
    let key = ThreadEnd.makeKey()
    weak var held: Holder?
    do {
      let holder = Holder()
      held = holder
      PlainThread.start {
        ThreadEnd.report(to: ended, key)
        withExtendedLifetime(holder) {}
      }
    }
    await ended.wait { $0 == 1 }
    #expect(held == nil)
  }

  private final class Holder: Sendable {}
}
