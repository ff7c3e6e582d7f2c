import EaselCore
import EaselTestSupport
import Glibc
import Testing

struct PlainThreadTests {
  @Test func theBodyRunsOnceOnAnotherThread() async {
    let threads = Watched<[pthread_t]>([])
    #expect(PlainThread.start { threads.withLock { $0.append(pthread_self()) } })
    await threads.wait { !$0.isEmpty }
    let seen = threads.withLock { $0 }
    #expect(seen.count == 1)
    #expect(seen.allSatisfy { pthread_equal($0, pthread_self()) == 0 })
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

  /// Takes half a kilobyte of stack for each step.
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
