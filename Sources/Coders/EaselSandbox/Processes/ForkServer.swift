import CEaselSandbox
import EaselCore
import EaselSupport
import Glibc

/// The process that forks a child for each picture.
final class ForkServer: Sendable {
  /// The layers of protection that the children have.
  let layers: Sandbox.Layers
  /// The reason why the children have no filter of system calls; nil if they have a filter.
  let filterError: SystemError?
  let process: pid_t
  let control: Descriptor
  /// The children that wait for their pictures.
  let waiting = Locked(WaitingChildren())

  /// Starts the program and waits until it is ready.
  init(
    program: String, for group: WorkerGroup = .others, offering offered: Sandbox.Layers = .all,
    patience: Duration = .seconds(10)
  ) throws(ImageError) {
    var number: CInt = -1
    let words = [program, SandboxWorker.argument, String(offered.rawValue), group.rawValue]
    process = Self.withCStrings(words) { arguments in
      Self.withCStrings(Self.environment) { easel_sandbox_spawn(program, arguments, $0, &number) }
    }
    guard process > 0 else {
      throw ImageError(
        .decoderCrashed, "There is no sandbox: could not start \(program): \(SystemError(code: errno)).")
    }
    control = Descriptor(number)
    var hello = easel_sandbox_hello()
    let clock = RunningClock(of: process)
    var answer: CInt
    repeat { answer = easel_sandbox_receive_hello(number, 20, &hello) } while answer == 0 && !clock.isOver(patience)
    layers = Sandbox.Layers(rawValue: hello.layers)
    filterError = hello.filter_error == 0 ? nil : SystemError(code: hello.filter_error)
    // After this line, `deinit` ends the process.
    guard answer == 1, hello.version == EASEL_SANDBOX_VERSION else {
      let reason =
        answer == 1
        ? "is a worker of another version. Name the program easel of the same version in the configuration."
        : answer < 0 ? Self.reason(ofEndOf: process) : Self.reason(ofSilence: clock, patience)
      throw ImageError(.decoderCrashed, "There is no sandbox: \(program) \(reason)")
    }
    let problem = hello.problemText
    guard problem.isEmpty else {
      throw ImageError(
        .decoderCrashed, "There is no sandbox: \(program) could not make a coder ready: \(problem)")
    }
    // A failed fork must not be mistaken for a system without a filter.
    guard hello.fork_error == 0 else {
      throw ImageError(
        .decoderCrashed,
        "There is no sandbox: \(program) could not make a process: \(SystemError(code: hello.fork_error)).")
    }
    guard hello.threads == 1 else {
      throw ImageError(
        .decoderCrashed,
        "There is no sandbox: \(program) had \(hello.threads) threads when it called Sandbox.runIfWorker(). It must "
          + "make that call first in main, before anything starts threads.")
    }
  }

  deinit {
    shutdown(control.number, CInt(SHUT_RDWR))
    // The server ends at once, and its children with it. Only a stopped server would never end.
    for _ in 0..<100 {
      guard waitpid(process, nil, WNOHANG) == 0 else { return }
      usleep(1000)
    }
    kill(process, SIGKILL)
    while waitpid(process, nil, 0) < 0 && errno == EINTR {}
  }

  /// The reason why a program ended before its first message.
  private static func reason(ofEndOf process: pid_t) -> String {
    var status: CInt = 0
    for _ in 0..<1000 where waitpid(process, &status, WNOHANG) == 0 { usleep(1000) }
    switch ChildExit(easel_sandbox_end(wait_status: status)) {
    case .signalled(SIGKILL):
      return
        "was killed (signal \(SIGKILL), SIGKILL) before it answered as a worker, perhaps for lack of memory."
    case .signalled(let signal):
      return
        "crashed (signal \(signal)) before it answered as a worker. A coder that crashes with a small picture of its "
        + "own does that."
    case .exited(let status):
      return
        "ended with status \(status) and did not answer as a worker. Its main must begin with Sandbox.runIfWorker(), or "
        + "the configuration must name the program easel."
    }
  }

  /// The reason why a program has sent no message.
  private static func reason(ofSilence clock: RunningClock, _ patience: Duration) -> String {
    guard !clock.wasKeptWaiting(patience) else {
      return
        "did not answer as a worker within \(patience * 10), in which it got too little of a processor. The machine has "
        + "too much to do."
    }
    return
      "did not answer as a worker within \(patience). Its main must begin with Sandbox.runIfWorker(), and no coder may "
      + "hang with a small picture of its own."
  }

  /// True if a signal has stopped the server, so that it does not answer.
  var isStopped: Bool { easel_sandbox_is_stopped(process) }

  /// The error for a server that has ended, or that does not answer.
  struct Gone: Error {}

  /// The few environment variables that a program may need to start; a decoder must not know the others.
  private static var environment: [String] {
    let kept = ["LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"].compactMap { (name: String) in
      getenv(name).map { "\(name)=\(String(cString: $0))" }
    }
    // The loader looks up symbols once in the server, and not again in each child.
    return kept + ["LD_BIND_NOW=1", "SWIFT_BACKTRACE=enable=no"]
  }

  private static func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    copies.append(nil)
    return copies.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
  }
}
