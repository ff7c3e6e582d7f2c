import EaselCore
import EaselSupport
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Glibc
import Testing

@testable import EaselCurl

/// A connection that breaks while curl writes must not end the program.
@Suite(.tags(.alone))
struct SignalTests {
  @Test func writingToABrokenPipeOnlyFailsOnTheThreadOfTransfers() async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: [1, 2, 3]))])
    defer { server.close() }
    let sink = WritingSink()
    try await withLoader { loader in _ = try await loader.load(LoadRequest(url: server.url("/a")), into: sink) }
    let seen = try #require(sink.seen)
    #expect(seen.isBlocked)
    #expect(seen.error == EPIPE)
  }

  fileprivate static var isPipeSignalBlocked: Bool {
    var signals = sigset_t()
    return pthread_sigmask(SIG_BLOCK, nil, &signals) == 0 && sigismember(&signals, SIGPIPE) == 1
  }

  /// A sink that writes to a pipe without a reader while it receives bytes.
  private final class WritingSink: LoadSink {
    private let state = Locked<(isBlocked: Bool, error: CInt)?>(nil)

    var seen: (isBlocked: Bool, error: CInt)? { state.withLock { $0 } }

    func beginAtOnce(_ head: ResponseHead) throws -> Bool { true }
    func begin(_ head: ResponseHead) async throws {}
    func restart(at offset: Int) {}

    func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand {
      let isBlocked = SignalTests.isPipeSignalBlocked
      // If the signal is not blocked, the write would end the whole test run.
      let error = isBlocked ? Self.errorOfAWriteToABrokenPipe() : 0
      state.withLock { $0 = (isBlocked, error) }
      return .more
    }

    private static func errorOfAWriteToABrokenPipe() -> CInt {
      var ends: [CInt] = [0, 0]
      guard pipe(&ends) == 0 else { return errno }
      close(ends[0])
      defer { close(ends[1]) }
      return write(ends[1], "a", 1) < 0 ? errno : 0
    }
  }
}
