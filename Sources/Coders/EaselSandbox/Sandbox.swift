import CEaselSandbox
import EaselCore
import EaselSupport
import Glibc

/// Processes in which coders can decode pictures and do nothing else.
///
/// Each picture gets a separate process. This process can read the picture's bytes, compute, and write pixels. It
/// cannot open files or connections, start programs, or see another picture. If it crashes, hangs or asks for too much,
/// only this one picture fails.
///
/// The processes come from a program whose `main` begins with ``runIfWorker(coders:)``. By default, this is the running
/// program itself.
///
/// ```swift
/// Sandbox.runIfWorker(coders: CoderRegistry.standard.coders)
/// configuration.coder = CoderRegistry.standard.sandboxed(in: Sandbox())
/// ```
public final class Sandbox: Sendable {
  /// The settings of a sandbox.
  public struct Configuration: Sendable {
    /// The program that is started as the worker; nil for the running program.
    public var program: String?
    /// The most memory of a process besides the picture's bytes.
    ///
    /// It is also the most memory for the pixels that the process returns.
    public var memoryBytes = 1 << 30
    /// The most processes that work at the same time.
    public var processes = max(4, 2 * CPUBudget.processors)
    /// The most pictures that one process decodes, one after the other.
    ///
    /// With more than one, a picture that takes its process over sees the pictures that come after it. So all pictures of
    /// the sandbox must be of one trust, such as those of one user or of your own site. Each picture is cheaper then. After
    /// anything odd, such as a damaged picture, the next one gets a new process.
    public var picturesPerProcess = 1
    /// True if pictures are shown while their bytes arrive, where a load asks for that.
    ///
    /// Such a picture has its process from its first preview until its last byte. A server, which shows none, sets it to
    /// false, and saves a look at the header of each picture that is on its way.
    public var makesPreviews = true
    /// True if pictures are decoded with whatever protection the system offers, even with none.
    ///
    /// If this is false, a system without a filter for system calls causes an error.
    public var isBestEffort = false
    /// Told of each decoding with the identifier of the coder; calls the result when it has ended.
    package var beginsWork: (@Sendable (_ coder: String, WorkContext) -> (@Sendable () -> Void)?)?

    /// Creates a configuration with the defaults.
    public init() {}
  }

  /// The layers of protection around a picture's process.
  public struct Layers: OptionSet, Hashable, Sendable {
    /// The bits of the set.
    public let rawValue: UInt32

    /// Creates a set from raw bits, which option sets need for their own operations.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A filter (seccomp) that refuses or punishes every system call that decoding does not need.
    public static let callFilter = Layers(rawValue: 1)
    /// Rules of the kernel (Landlock) that forbid every way of opening a file.
    public static let noFiles = Layers(rawValue: 2)
    /// A limit on memory; builds with a sanitizer lack it.
    public static let memoryLimit = Layers(rawValue: 4)

    static let all: Layers = [.callFilter, .noFiles, .memoryLimit]
  }

  /// The times after which processes are abandoned.
  package struct Patience: Sendable {
    /// The time for the worker's first message.
    package var start = Duration.seconds(10)
    /// The time for a child to begin with its picture.
    package var begin = Duration.seconds(2)

    package init() {}
  }

  let configuration: Configuration
  private let offered: Layers
  private let patience: Patience
  private let places = Semaphore()
  private let inputs = MemoryFilePool()
  private let outputs = MemoryFilePool()
  /// Children that can answer further questions about their picture.
  private let waiting: ReusePool<KeptProcess>
  /// Children that may have another picture.
  private let used: ReusePool<DecoderProcess>
  private let servers = Locked<[WorkerGroup: ServerState]>([:])

  /// Creates a sandbox whose worker starts with the first picture, or with ``start()``.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, offering: .all)
  }

  /// Creates a sandbox on a system that offers only some layers.
  package init(_ configuration: Configuration, offering offered: Layers, patience: Patience = Patience()) {
    self.configuration = configuration
    self.offered = offered
    self.patience = patience
    waiting = ReusePool(limit: configuration.processes, idleTime: .seconds(1))
    used = ReusePool(limit: configuration.processes, idleTime: .seconds(1))
    for _ in 0..<max(1, configuration.processes) { places.signal() }
  }

  /// Starts the workers unless they run already; returns the layers of protection that pictures get.
  ///
  /// Throws if there can be no sandbox, with a sentence about the missing part. Servers call this function when they
  /// start. It blocks for some milliseconds.
  ///
  /// ```swift
  /// let sandbox = Sandbox()
  /// try sandbox.start()
  /// configuration.coder = CoderRegistry.standard.sandboxed(in: sandbox)
  /// ```
  @discardableResult
  public func start() throws(ImageError) -> Layers {
    do {
      return try WorkerGroup.allCases.map { try runningServer(for: $0)?.layers ?? [] }
        .reduce(.all) { $0.intersection($1) }
    } catch {
      throw ImageError.wrapping(error, as: .decoderCrashed, "There is no sandbox: \(error)")
    }
  }

  /// Becomes a worker, and never returns, if the program was started as a worker; otherwise does nothing.
  ///
  /// Call this function first in `main`, before anything starts a thread, with all coders that may run in sandboxes.
  ///
  /// ```swift
  /// Sandbox.runIfWorker(coders: CoderRegistry.standard.coders)
  /// ```
  public static func runIfWorker(coders: [any ImageCoder]) { SandboxWorker.runIfAsked(coders) }

  // MARK: Processes

  /// A child that is kept for further questions.
  struct KeptProcess: Sendable {
    let process: DecoderProcess
    /// The options with which the child has decoded an animation; nil if it has only read the header.
    let options: DecodeOptions?
  }

  /// Calls `body` with a child for the picture: a kept child that used these options, or a new child.
  ///
  /// Returns nil if there is no sandbox and the configuration demands none.
  func withProcess<Result>(
    for picture: SandboxedImage, decodedWith options: DecodeOptions? = nil, work: WorkContext,
    _ body: (DecoderProcess, _ isNew: Bool) throws -> Result
  ) throws -> Result? {
    try waitForPlace(of: work)
    defer { places.signal() }
    let kept = waiting.take { $0.options == options && $0.process.picture.isSame(as: picture) }
    do {
      if let kept { return try body(kept.process, false) }
    } catch is DecoderProcess.ProcessorTimeUsedUp {
      // The earlier work of the kept child counts too, so a new child may have enough time.
    } catch is ForkServer.Gone {}
    do {
      if let result = try withUsedProcess(for: picture, work: work, body) { return result }
      return try withNewProcess(for: picture, work: work, body)
    } catch let end as DecoderProcess.ProcessorTimeUsedUp {
      throw end.error
    }
  }

  private func waitForPlace(of work: WorkContext) throws {
    while !places.wait(milliseconds: 20) {
      // Waiting must not use up the time of the picture.
      work.time.giveBack(.milliseconds(20))
      try work.checkCancellation()
    }
  }

  /// Calls `body` with the child of a picture that arrives, or with a new one; nil if there can be none.
  ///
  /// A failure costs nothing but the preview: the caller decodes the whole picture in another child.
  func withProcess<Result>(
    arriving picture: SandboxedImage, _ process: DecoderProcess?, most: Int, work: WorkContext,
    _ body: (DecoderProcess) throws -> Result
  ) throws -> Result? {
    try waitForPlace(of: work)
    defer { places.signal() }
    do {
      if let process { return try body(process) }
      guard let server = try runningServer(for: picture.group, work) else { return nil }
      return try body(
        DecoderProcess(
          picture, server: server, inputs: inputs, outputs: outputs, configuration: configuration, arriving: most,
          patience: patience.begin, work: work))
    } catch let end as DecoderProcess.ProcessorTimeUsedUp {
      throw end.error
    } catch is ForkServer.Gone {
      throw Self.disturbed
    } catch is DecoderProcess.NeverBegan {
      throw Self.disturbed
    }
  }

  /// Calls `body` with a child that had another picture; returns nil if there is none, or if it has had too many.
  private func withUsedProcess<Result>(
    for picture: SandboxedImage, work: WorkContext, _ body: (DecoderProcess, _ isNew: Bool) throws -> Result
  ) throws -> Result? {
    let most = configuration.picturesPerProcess
    guard most > 1, let used = used.take(where: { $0.canServe(picture, atMost: most) }),
      let process = try DecoderProcess(picture, after: used)
    else { return nil }
    do {
      try process.tellOfPicture(work)
      return try body(process, true)
    } catch is DecoderProcess.ProcessorTimeUsedUp {
      return nil
    } catch is ForkServer.Gone {
      return nil
    }
  }

  private func withNewProcess<Result>(
    for picture: SandboxedImage, work: WorkContext, _ body: (DecoderProcess, _ isNew: Bool) throws -> Result
  ) throws -> Result? {
    var (dead, attempts): (ForkServer?, Int) = (nil, 0)
    while true {
      let started = ContinuousClock.now
      guard let server = try runningServer(for: picture.group, insteadOf: dead, work) else { return nil }
      work.time.giveBack(ContinuousClock.now - started)
      attempts += 1
      let isLast = attempts == Self.attempts
      do {
        let process = try DecoderProcess(
          picture, server: server, inputs: inputs, outputs: outputs, configuration: configuration,
          patience: isLast ? nil : patience.begin, work: work)
        return try body(process, true)
      } catch is ForkServer.Gone where !isLast {
        // No picture can make the server end. Some other process has ended or stopped it.
        dead = server
      } catch is DecoderProcess.NeverBegan where !isLast {
        // Some other process ended or stopped the child, and perhaps also the spare children. If a later child does not
        // begin either, something is wrong with the server.
        if attempts == Self.attempts - 1 { dead = server }
      } catch is ForkServer.Gone {
        throw Self.disturbed
      } catch is DecoderProcess.NeverBegan {
        throw Self.disturbed
      }
    }
  }

  /// The number of attempts for a picture if other processes keep ending the sandbox's processes.
  private static let attempts = WaitingChildren.spares + 2

  private static var disturbed: ImageError {
    var error = ImageError(
      .decoderCrashed,
      "The processes of the sandbox ended \(attempts) times before they had decoded the picture. Check what ends them.")
    error.isTemporary = true
    return error
  }

  /// Keeps a child for one second, for the next question about its picture.
  func keep(_ process: DecoderProcess, decodedWith options: DecodeOptions? = nil) {
    waiting.put(KeptProcess(process: process, options: options))
  }

  /// Keeps a child that has decoded its picture for another one, if that is allowed.
  func reuse(_ process: DecoderProcess) {
    if configuration.picturesPerProcess > 1 { used.put(process) }
  }

  /// The number of children that wait for further questions.
  var keptProcesses: Int { waiting.count }

  // MARK: The worker

  /// The worker's process, for tests that end it.
  func workerProcess(for group: WorkerGroup = .others) -> pid_t? { try? runningServer(for: group)?.process }

  /// The processes of the workers, which run afterwards, for measurements.
  package var workerProcesses: [pid_t] { WorkerGroup.allCases.compactMap { workerProcess(for: $0) } }

  private struct ServerState {
    var running: ForkServer?
    var isStarting = false
    /// The number of starts that have ended; `error` belongs to the last of them.
    var starts = 0
    var error: ImageError?

    /// The number of the start that is under way.
    var nextStart: Int? { isStarting ? starts + 1 : nil }

    mutating func claim(insteadOf dead: ForkServer?, afterStart awaited: Int?) -> ServerClaim {
      if isStarting { return .wait }
      if let running, running !== dead { return .running(running) }
      // Threads that waited for a failed start get its error, instead of trying one after another.
      if let awaited, starts >= awaited, let error { return .failed(error) }
      isStarting = true
      defer { running = nil }
      return .start(insteadOf: running)
    }

    mutating func endStart(_ result: Result<ForkServer, ImageError>) {
      (isStarting, starts) = (false, starts + 1)
      switch result {
      case .success(let started): (running, error) = (started, nil)
      case .failure(let failure): (running, error) = (nil, failure)
      }
    }
  }

  private enum ServerClaim {
    case running(ForkServer)
    case failed(ImageError)
    /// The caller has to start the server.
    case start(insteadOf: ForkServer?)
    /// Another thread is starting the server.
    case wait
  }

  /// The worker; nil if there can be no worker and the configuration demands none.
  private func runningServer(
    for group: WorkerGroup, insteadOf dead: ForkServer? = nil, _ work: WorkContext? = nil
  ) throws -> ForkServer? {
    let awaited = servers.withLock { $0[group, default: ServerState()].nextStart }
    while true {
      switch claimServer(for: group, insteadOf: dead, afterStart: awaited) {
      case .running(let running): return running
      case .start(let old): return try orNone(startServer(for: group, insteadOf: old))
      case .failed(let error): return try orNone(.failure(error))
      case .wait:
        try work?.checkCancellation()
        usleep(2000)
      }
    }
  }

  private func claimServer(
    for group: WorkerGroup, insteadOf dead: ForkServer?, afterStart awaited: Int?
  ) -> ServerClaim {
    servers.withLock { $0[group, default: ServerState()].claim(insteadOf: dead, afterStart: awaited) }
  }

  /// Starts a worker, which can take long; the lock is not held during the start.
  private func startServer(for group: WorkerGroup, insteadOf old: ForkServer?) -> Result<ForkServer, ImageError> {
    // The old worker also ends outside the lock, after its last picture.
    defer { withExtendedLifetime(old) {} }
    let result = Result<ForkServer, ImageError> { () throws(ImageError) in
      try checkMemoryFiles()
      let started = try ForkServer(program: program(), for: group, offering: offered, patience: patience.start)
      try check(started)
      return started
    }
    servers.withLock { $0[group, default: ServerState()].endStart(result) }
    return result
  }

  private func orNone(_ result: Result<ForkServer, ImageError>) throws(ImageError) -> ForkServer? {
    do {
      return try result.get()
    } catch {
      if configuration.isBestEffort { return nil }
      var error = error
      // The picture is not to blame, so it may be tried again.
      error.isTemporary = true
      throw error
    }
  }

  private func program() throws(ImageError) -> String {
    if let program = configuration.program { return program }
    // Without this call in `main`, the worker would run the whole program a second time.
    guard SandboxWorker.isOffered else {
      throw ImageError(
        .decoderCrashed,
        "There is no sandbox: this program is to be its own worker, but has not called Sandbox.runIfWorker(). Make that "
          + "call first in main, or name the program easel in the configuration.")
    }
    return "/proc/self/exe"
  }

  /// Throws if files in memory cannot be made, because each picture needs two.
  private func checkMemoryFiles() throws(ImageError) {
    let file = easel_sandbox_memory_file()
    guard file >= 0 else {
      throw ImageError(
        .decoderCrashed, "There is no sandbox: could not get a file in memory: \(SystemError(code: errno)).")
    }
    close(file)
  }

  private func check(_ server: ForkServer) throws(ImageError) {
    guard !configuration.isBestEffort, let problem = server.filterError else { return }
    throw ImageError(
      .decoderCrashed,
      "There is no sandbox: the system does not allow a filter for system calls (seccomp): \(problem). Allow it, or "
        + "choose best effort to decode with less protection.")
  }
}
