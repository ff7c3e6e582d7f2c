import CEaselSandbox
import EaselCore
import Glibc

/// The way a child ended.
enum ChildEnd: Equatable {
  case neverStarted(CInt)
  case exited(CInt)
  case signalled(CInt)

  init(_ record: easel_sandbox_end) {
    if record.start_error != 0 {
      self = .neverStarted(record.start_error)
    } else if record.wait_status & 0x7f == 0 {
      self = .exited((record.wait_status >> 8) & 0xff)
    } else {
      self = .signalled(record.wait_status & 0x7f)
    }
  }

  /// The error for a child that ended without an answer.
  func error(of picture: SandboxedPicture) -> ImageError {
    let coder = "The coder \(picture.coder) in the sandbox"
    switch self {
    case .neverStarted(let code): return .sandboxLacks("a process for the picture", code: code)
    case .exited(let status):
      return ImageError(
        .decoderCrashed, "\(coder) ended without an answer (status \(status)).", cause: DecoderCrash(of: picture.coder))
    case .signalled(SIGXCPU):
      return ImageError(
        .limitExceeded, "\(coder) took more processor time than Limits.decodeTime allows, and was ended.")
    case .signalled(SIGSYS):
      return ImageError(
        .decoderCrashed,
        "\(coder) made a system call that is not allowed there, and was ended (signal \(SIGSYS), SIGSYS). The picture "
          + "may be an attempt to break in.", cause: DecoderCrash(of: picture.coder))
    case .signalled(SIGBUS) where picture.bytes.filePath != nil:
      return ImageError(
        .decoderCrashed, "\(coder) crashed (signal \(SIGBUS), SIGBUS); the file may have been cut short meanwhile.")
    case .signalled(SIGKILL):
      return ImageError(
        .decoderCrashed,
        "\(coder) was killed (signal \(SIGKILL), SIGKILL), probably because the machine ran out of memory.")
    case .signalled(let signal):
      return ImageError(
        .decoderCrashed,
        "\(coder) crashed (signal \(signal)\(Self.names[signal].map { ", \($0)" } ?? "")). The picture is damaged in a "
          + "way that the decoder does not survive.", cause: DecoderCrash(of: picture.coder))
    }
  }

  private static let names: [CInt: String] = [
    SIGSEGV: "SIGSEGV", SIGABRT: "SIGABRT", SIGILL: "SIGILL", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGTRAP: "SIGTRAP",
    SIGPIPE: "SIGPIPE",
  ]
}
