import EaselCore
import Glibc

/// Processes in which coders can decode pictures and do nothing else.
///
/// Each picture gets a process of its own. It can read the picture's bytes, compute, and write pixels; it cannot open
/// files or connections, start programs, or see another picture. When it crashes, hangs or asks for too much, that is
/// an error of this one picture.
///
/// The processes come from a program that begins its `main` with ``runIfWorker(coders:)``: by default the running
/// program itself.
public final class Sandbox: Sendable {
  /// The settings of a sandbox.
  public struct Configuration: Sendable {
    /// The program that is started as the worker; nil for the running program.
    public var program: String?
    /// The most memory of a process besides the picture's bytes, and again as much for the pixels that it hands over.
    public var memoryBytes = 1 << 30
    /// The most processes that work at the same time.
    public var processes = max(4, 2 * CPUBudget.processors)
    /// True when pictures are decoded with the protection that can be had, even if that is none.
    ///
    /// Otherwise a system that does not offer a filter for system calls is an error.
    public var isBestEffort = false

    /// Creates the default settings.
    public init() {}
  }

  /// The layers of protection around a picture's process.
  public struct Layers: OptionSet, Hashable, Sendable {
    /// The bits of the set.
    public let rawValue: UInt32

    /// Creates a set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A filter (seccomp) that refuses or punishes every system call that decoding does not need.
    public static let callFilter = Layers(rawValue: 1)
    /// Rules of the kernel (Landlock) by which no file can be opened, whatever call is made.
    public static let noFiles = Layers(rawValue: 2)
    /// A limit on memory; builds with a sanitizer lack it.
    public static let memoryLimit = Layers(rawValue: 4)

    static let all: Layers = [.callFilter, .noFiles, .memoryLimit]
  }

  let configuration: Configuration
  private let offered: Layers
  private let places = Semaphore()
  private let inputs = MemoryFilePool()
  private let outputs = MemoryFilePool()
  /// Children that may be asked again about their picture.
  private let waiting: IdleShelf<KeptProcess>
  /// Held while the server starts, because whoever wants a picture meanwhile has to wait for it anyway.
  private let server = Locked<ForkServer?>(nil)

  /// Creates a sandbox whose worker starts with the first picture, or with ``start()``.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, offering: .all)
  }

  /// Creates a sandbox on a system that offers only some layers.
  package init(_ configuration: Configuration, offering offered: Layers) {
    self.configuration = configuration
    self.offered = offered
    waiting = IdleShelf(limit: configuration.processes, idleTime: .seconds(1))
    for _ in 0..<max(1, configuration.processes) { places.signal() }
  }

  /// Starts the worker unless it runs already; returns the layers of protection that pictures have.
  ///
  /// Throws when there can be no sandbox, with a sentence about what is missing. Servers call it when they start. It
  /// blocks for some milliseconds.
  @discardableResult
  public func start() throws(ImageError) -> Layers {
    let server = try runningServer()
    return server?.layers ?? []
  }

  /// Becomes a worker, and never returns, if the program was started as one; otherwise does nothing.
  ///
  /// Call it first in `main`, before anything starts a thread, with all coders that are to run in sandboxes.
  public static func runIfWorker(coders: [any ImageCoder]) { SandboxWorker.runIfAsked(coders) }

  // MARK: Processes

  /// A child that stays for further questions.
  struct KeptProcess: Sendable {
    let process: DecoderProcess
    /// The options of the moving picture that it has decoded; nil if it has only read the header.
    let options: DecodeOptions?
  }

  /// Calls `body` with a child for the picture: one that was kept with these options, or a new one.
  ///
  /// Returns nil if there is no sandbox and none is demanded.
  func withProcess<Result>(
    for picture: SandboxedPicture, decodedWith options: DecodeOptions? = nil, work: WorkContext,
    _ body: (DecoderProcess, _ isNew: Bool) throws -> Result
  ) throws -> Result? {
    while !places.wait(milliseconds: 20) { try work.checkCancellation() }
    defer { places.signal() }
    let kept = waiting.take { $0.options == options && $0.process.picture.isSame(as: picture) }
    do {
      if let kept { return try body(kept.process, false) }
    } catch is DecoderProcess.ProcessorTimeUsedUp {
      // What it did before counts too, so a new one may get by.
    } catch is ForkServer.Gone {}
    do {
      return try withNewProcess(for: picture, work: work, body)
    } catch let end as DecoderProcess.ProcessorTimeUsedUp {
      throw end.error
    }
  }

  private func withNewProcess<Result>(
    for picture: SandboxedPicture, work: WorkContext, _ body: (DecoderProcess, _ isNew: Bool) throws -> Result
  ) throws -> Result? {
    var dead: ForkServer?
    // The server does nothing that a picture could make it end by. Others may have ended it, so one more is tried.
    for _ in 0..<2 {
      guard let server = try runningServer(insteadOf: dead) else { return nil }
      do {
        return try body(newProcess(for: picture, server, work), true)
      } catch is ForkServer.Gone {
        dead = server
      }
    }
    var error = ImageError(.decoderCrashed, "The sandbox ended twice while it worked on the picture.")
    error.isTemporary = true
    throw error
  }

  private func newProcess(
    for picture: SandboxedPicture, _ server: ForkServer, _ work: WorkContext
  ) throws -> DecoderProcess {
    try DecoderProcess(
      picture, server: server, inputs: inputs, outputs: outputs, configuration: configuration, work: work)
  }

  /// Keeps a child for the next question about its picture, for a second.
  func keep(_ process: DecoderProcess, decodedWith options: DecodeOptions? = nil) {
    waiting.put(KeptProcess(process: process, options: options))
  }

  /// The number of children that wait for further questions.
  var keptProcesses: Int { waiting.count }

  // MARK: The worker

  /// The worker's process, for tests that end it.
  var workerProcess: pid_t? { try? runningServer()?.process }

  /// The worker; nil if there can be none and none is demanded.
  private func runningServer(insteadOf dead: ForkServer? = nil) throws(ImageError) -> ForkServer? {
    do throws(ImageError) {
      return try server.withLock { server throws(ImageError) in
        if let running = server, running !== dead { return running }
        server = nil
        let started = try ForkServer(program: program(), offering: offered)
        try check(started)
        server = started
        return started
      }
    } catch {
      if configuration.isBestEffort { return nil }
      var error = error
      // The picture is not to blame.
      error.isTemporary = true
      throw error
    }
  }

  private func program() throws(ImageError) -> String {
    if let program = configuration.program { return program }
    // Otherwise the program would do a second time whatever it does.
    guard SandboxWorker.isOffered else {
      throw ImageError(
        .decoderCrashed,
        "There is no sandbox: this program is to be its own worker, but has not called Sandbox.runIfWorker(). Make that "
          + "call first in main, or name the program easel in the configuration.")
    }
    return "/proc/self/exe"
  }

  private func check(_ server: ForkServer) throws(ImageError) {
    guard !configuration.isBestEffort, let problem = server.filterError else { return }
    throw ImageError(
      .decoderCrashed,
      "There is no sandbox: the system does not allow a filter for system calls (seccomp): \(problem). Allow it, or "
        + "choose best effort to decode with less protection.")
  }
}
