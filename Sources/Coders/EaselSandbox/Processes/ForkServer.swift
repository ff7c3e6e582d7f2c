import CEaselSandbox
import EaselCore
import Glibc

/// The process that forks a child for each picture.
final class ForkServer: Sendable {
  /// The layers of protection that the children have.
  let layers: Sandbox.Layers
  /// The reason why the children have no filter of system calls; nil if they have a filter.
  let filterError: SystemError?
  let process: pid_t
  let control: Descriptor

  /// Starts the program and waits until it is ready.
  init(program: String, offering offered: Sandbox.Layers = .all, patience: Duration = .seconds(10)) throws(ImageError) {
    var number: CInt = -1
    let words = [program, SandboxWorker.argument, String(offered.rawValue)]
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
    switch ChildExit(easel_sandbox_end(start_error: 0, wait_status: status)) {
    case .signalled(SIGKILL):
      return
        "was killed (signal \(SIGKILL), SIGKILL) before it answered as a worker, perhaps for lack of memory."
    case .signalled(let signal):
      return
        "crashed (signal \(signal)) before it answered as a worker. A coder that crashes with a small picture of its "
        + "own does that."
    case .exited(let status), .neverStarted(let status):
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

  /// Asks for a child; throws ``Gone`` if the server has ended.
  func startChild(
    input: CInt, output: CInt, limits: easel_sandbox_limits, work: WorkContext
  ) throws -> (child: Child, talk: Descriptor) {
    var talk: (CInt, CInt) = (-1, -1)
    guard easel_sandbox_socket_pair(&talk.0, &talk.1) == 0 else { throw ImageError.sandboxLacks("a socket") }
    let (ours, theirs) = (Descriptor(talk.0), Descriptor(talk.1))
    var end: (CInt, CInt) = (-1, -1)
    guard easel_sandbox_socket_pair(&end.0, &end.1) == 0 else { throw ImageError.sandboxLacks("a socket") }
    let (ourEnd, theirEnd) = (Descriptor(end.0), Descriptor(end.1))
    var limits = limits
    while easel_sandbox_send_start(control.number, &limits, input, output, theirs.number, theirEnd.number) != 0 {
      // A server that reads slowly has no room for an order. Any other error means that the server has ended.
      guard errno == EAGAIN, !isStopped else { throw Gone() }
      try work.checkCancellation()
      usleep(1000)
    }
    withExtendedLifetime((theirs, theirEnd)) {}
    return (Child(of: self, end: ourEnd), ours)
  }

  /// True if a signal has stopped the server, so that it does not answer.
  var isStopped: Bool { easel_sandbox_is_stopped(process) }

  /// A child of the server.
  ///
  /// A child that still runs is killed with the last reference to this object.
  final class Child: Sendable {
    /// The server is kept alive, because its children end with it.
    let server: ForkServer
    /// The socket that reports the end of the child.
    let end: Descriptor

    init(of server: ForkServer, end: Descriptor) {
      self.server = server
      self.end = end
    }

    deinit { kill() }

    func kill() { easel_sandbox_kill(end.number) }

    /// True if the child has ended, or ends within this number of milliseconds.
    func isOver(within milliseconds: CInt) -> Bool { easel_sandbox_wait_readable(end.number, milliseconds) == 1 }

    /// The end of the child; nil if the child still runs, or if its server has ended.
    func end(within milliseconds: CInt) -> ChildExit? {
      var record = easel_sandbox_end()
      let size = MemoryLayout.size(ofValue: record)
      guard isOver(within: milliseconds), read(end.number, &record, size) == size else { return nil }
      return ChildExit(record)
    }
  }

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
