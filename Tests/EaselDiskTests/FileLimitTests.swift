import EaselCore
import EaselDisk
import EaselSupport
import EaselTestTags
import Foundation
import Testing

/// A limit of file sizes (`ulimit -f`): by default the system ends a process that writes beyond it.
@Suite(.tags(.alone)) struct FileLimitTests {
  @Test(arguments: [0, 10_000, 60_000, 500_000], ["worker", "main"])
  func meetingItIsAnError(size: Int, thread: String) throws {
    let directory = try TemporaryDirectory()
    let child = try Child(["limit", directory.path + "/cache", "1", "\(size)", thread])
    #expect(child.waitForSuccess())
    #expect(try makeStore(directory).checkIntegrity())
  }

  /// Whoever cannot open a file does not know that it is gone.
  @Test func entriesOutliveALackOfDescriptors() throws {
    let directory = try TemporaryDirectory()
    let child = try Child(["descriptors", directory.path + "/cache", "1"])
    #expect(child.waitForSuccess())
    #expect(try makeStore(directory).count() == 49)
  }

  @Test func aThreadOfSomebodyElseIsAsItWasAfterwards() throws {
    var (before, inside, after) = (sigset_t(), sigset_t(), sigset_t())
    pthread_sigmask(SIG_BLOCK, nil, &before)
    FileLimit.asError {
      pthread_sigmask(SIG_BLOCK, nil, &inside)
      // A pending signal would end this process later.
      pthread_kill(pthread_self(), SIGXFSZ)
    }
    pthread_sigmask(SIG_BLOCK, nil, &after)
    #expect(sigismember(&inside, SIGXFSZ) == 1)
    #expect(sigismember(&after, SIGXFSZ) == sigismember(&before, SIGXFSZ))
  }
}
