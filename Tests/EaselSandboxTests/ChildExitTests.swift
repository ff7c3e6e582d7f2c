import CEaselSandbox
import EaselCore
import Glibc
import Testing

@testable import EaselSandbox

/// The meaning of a child's end for its picture.
struct ChildExitTests {
  private static let table: [(ChildExit, isFileWhole: Bool, ChildExit.Verdict)] = [
    (.exited(0), true, .crashed), (.exited(7), true, .crashed),
    (.signalled(SIGSEGV), true, .crashed), (.signalled(SIGABRT), true, .crashed), (.signalled(SIGILL), true, .crashed),
    (.signalled(SIGFPE), true, .crashed), (.signalled(SIGTRAP), true, .crashed), (.signalled(SIGPIPE), true, .crashed),
    (.signalled(SIGBUS), true, .crashed), (.signalled(SIGBUS), false, .lostItsFile),
    (.signalled(SIGSEGV), false, .crashed), (.signalled(SIGSYS), true, .brokeRules),
    (.signalled(SIGXCPU), true, .tookTooLong), (.signalled(SIGKILL), true, .endedFromOutside),
    (.signalled(SIGTERM), true, .endedFromOutside), (.signalled(SIGINT), true, .endedFromOutside),
    (.signalled(SIGHUP), true, .endedFromOutside), (.signalled(SIGKILL), false, .endedFromOutside),
    (.signalled(63), true, .endedFromOutside),
  ]

  @Test func eachEndHasItsVerdict() {
    for (end, isFileWhole, verdict) in Self.table {
      #expect(end.verdict(isFileWhole: isFileWhole) == verdict, "\(end)")
    }
  }

  /// The ends that are remembered, and those that count as a crash of the decoder.
  @Test func onlyThePicturesOwnFaultsBlameIt() {
    let picture = SandboxedImage(bytes: ImageBytes([1, 2, 3]), coder: "avif")
    for (end, isFileWhole, verdict) in Self.table where isFileWhole {
      let error = end.error(of: picture)
      let isCrash = error.causes.contains { $0 is DecoderCrash }
      switch verdict {
      case .crashed, .brokeRules: #expect(error.code == .decoderCrashed && isCrash && !error.isTemporary, "\(end)")
      case .tookTooLong: #expect(error.code == .limitExceeded && !isCrash && !error.isTemporary, "\(end)")
      case .endedFromOutside:
        #expect(error.code == .decoderCrashed && !isCrash && error.isTemporary, "\(end)")
        #expect(error.message.contains("not to blame"), "\(end)")
      case .lostItsFile: Issue.record("There is no file.")
      }
    }
  }

  @Test func theRecordOfTheWorkerIsRead() {
    #expect(ChildExit(easel_sandbox_end(wait_status: 7 << 8)) == .exited(7))
    #expect(ChildExit(easel_sandbox_end(wait_status: SIGKILL)) == .signalled(SIGKILL))
    // The bit that says that there is a core file.
    #expect(ChildExit(easel_sandbox_end(wait_status: SIGSEGV | 0x80)) == .signalled(SIGSEGV))
  }
}
