import CEaselSandbox
import EaselCore
import Glibc

/// The way a child ended.
enum ChildExit: Equatable {
  case exited(CInt)
  case signalled(CInt)

  init(_ record: easel_sandbox_end) {
    if record.wait_status & 0x7f == 0 {
      self = .exited((record.wait_status >> 8) & 0xff)
    } else {
      self = .signalled(record.wait_status & 0x7f)
    }
  }

  /// The meaning of a child's end for its picture.
  ///
  /// Only a crash, a violation of the rules, and too much time blame the picture, which is then not tried again for a
  /// while.
  enum Verdict: Equatable {
    /// The picture makes the decoder crash.
    case crashed
    /// The decoder did something that it must not do.
    case brokeRules
    /// The decoder took more processor time than allowed.
    case tookTooLong
    /// The file was cut short while the decoder read it.
    case lostItsFile
    /// Another process ended the child, or the kernel did because the machine had no memory.
    case endedFromOutside
  }

  /// The verdict on a child that ended without an answer; `isFileWhole` is false if the file of its picture has become
  /// shorter.
  func verdict(isFileWhole: Bool) -> Verdict {
    switch self {
    // A library has ended the process.
    case .exited: .crashed
    case .signalled(SIGXCPU): .tookTooLong
    case .signalled(SIGSYS): .brokeRules
    case .signalled(SIGBUS) where !isFileWhole: .lostItsFile
    // The filter lets a child send itself only SIGABRT. Other signals that the processor does not send come from
    // outside.
    case .signalled(let signal): Self.ownSignals[signal] != nil ? .crashed : .endedFromOutside
    }
  }

  /// The error for a child that ended without an answer.
  func error(of picture: SandboxedImage) -> ImageError {
    let coder = "The coder \(picture.coder) in the sandbox"
    switch verdict(isFileWhole: picture.isFileWhole) {
    case .tookTooLong:
      return ImageError(
        .limitExceeded, "\(coder) took more processor time than Limits.decodeTime allows, and was ended.")
    case .brokeRules:
      return ImageError(
        .decoderCrashed,
        "\(coder) made a system call that is not allowed there, and was ended (\(name)). The picture may be an attempt to "
          + "break in.", cause: DecoderCrash(of: picture.coder))
    case .crashed:
      let what = if case .exited = self { "ended without an answer" } else { "crashed" }
      return ImageError(
        .decoderCrashed,
        "\(coder) \(what) (\(name)). The picture is damaged in a way that the decoder does not survive.",
        cause: DecoderCrash(of: picture.coder))
    case .lostItsFile:
      return ImageError(
        .truncatedBody, "\(coder) found that the file of the picture was cut short meanwhile. Make a new request.")
    case .endedFromOutside:
      var error = ImageError(
        .decoderCrashed,
        "\(coder) was ended from outside (\(name)), by somebody or by the kernel for lack of memory. The picture is not to "
          + "blame and may be tried again.")
      error.isTemporary = true
      return error
    }
  }

  /// The status or the signal as text.
  private var name: String {
    switch self {
    case .exited(let status): "status \(status)"
    case .signalled(let signal):
      "signal \(signal)" + ((Self.ownSignals[signal] ?? Self.otherSignals[signal]).map { ", \($0)" } ?? "")
    }
  }

  /// The signals of the processor, and the signals of libraries that give up.
  private static let ownSignals: [CInt: String] = [
    SIGSEGV: "SIGSEGV", SIGABRT: "SIGABRT", SIGILL: "SIGILL", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGTRAP: "SIGTRAP",
    SIGPIPE: "SIGPIPE",
  ]

  private static let otherSignals: [CInt: String] = [
    SIGKILL: "SIGKILL", SIGTERM: "SIGTERM", SIGINT: "SIGINT", SIGHUP: "SIGHUP", SIGQUIT: "SIGQUIT", SIGSYS: "SIGSYS",
  ]
}

extension SandboxedImage {
  /// False if the bytes are in a file that has become shorter.
  fileprivate var isFileWhole: Bool {
    guard bytes.isInFile, !bytes.isEmpty else { return true }
    return (try? bytes.part(at: bytes.count - 1, count: 1)) != nil
  }
}
