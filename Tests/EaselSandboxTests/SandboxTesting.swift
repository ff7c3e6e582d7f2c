import EaselCore
import EaselMisbehaving
import EaselTestSupport
import FoundationEssentials
import Glibc

@testable import EaselSandbox

/// What the tests of the sandbox share.
enum SandboxTesting {
  /// The program that is a worker with all coders and one that misbehaves.
  static let worker = ProgramBesideTests.path("EaselSandboxWorker")!

  static func configuration(memoryBytes: Int = 256 << 20, isBestEffort: Bool = false) -> Sandbox.Configuration {
    var configuration = Sandbox.Configuration()
    configuration.program = worker
    configuration.memoryBytes = memoryBytes
    configuration.isBestEffort = isBestEffort
    return configuration
  }

  /// The kind of most children.
  static let kind = SandboxChild.Kind(hasThreads: false)

  /// One sandbox for all tests that need nothing special.
  static let sandbox = Sandbox(configuration())

  /// False in a build with a sanitizer, which takes more address space than any limit, and which turns crashes into ends
  /// with a status of its own.
  static let hasMemoryLimit = (try? sandbox.start())?.contains(.memoryLimit) == true

  static func sandboxed(_ coder: any ImageCoder) -> Sandbox.Coder { Sandbox.Coder(coder, in: sandbox) }

  /// The error of decoding a picture that commands a misdeed.
  static func error(
    of misdeed: Misdeed, in sandbox: Sandbox = sandbox, limits: Limits = impatient
  ) -> ImageError? {
    do {
      let coder = Sandbox.Coder(MisbehavingCoder(), in: sandbox)
      _ = try coder.decode(misdeed.bytes, options: DecodeOptions(), work: WorkContext(limits: limits))
      return nil
    } catch {
      return error as? ImageError
    }
  }

  /// Limits under which a hanging decoder is ended soon.
  static let impatient: Limits = {
    var limits = Limits()
    limits.decodeTime = .milliseconds(300)
    return limits
  }()

  /// The number of descriptors that this process has open.
  static var openDescriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  /// The memory of this process.
  static var residentBytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  /// The number of pictures of the long forms of tests, if it was chosen.
  ///
  /// Then nothing else runs, and memory and times can be measured.
  static let chosenRounds = ProcessInfo.processInfo.environment["EASEL_SANDBOX_ROUNDS"].flatMap(Int.init)

  /// The processes that a process has made.
  static func children(of process: pid_t) -> [pid_t] {
    let text = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
    return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
  }

  /// The processes of a group that have not ended, such as a worker and all its children.
  ///
  /// Of those whose parent is gone a name is left until the first process of the system looks, which may take seconds.
  static func processes(inGroup group: pid_t) -> [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { getpgid($0) == group && !hasEnded($0) }
  }

  private static func hasEnded(_ process: pid_t) -> Bool {
    let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    return text.split(separator: ")").last?.hasPrefix(" Z") != false
  }

  /// The higher it is, the more a process lets others go before it; 0 means this process.
  static func niceness(of process: pid_t) -> CInt {
    getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(process))
  }

  /// Waits until a condition holds; the test fails by its time limit if it never does.
  static func wait(until isTrue: () -> Bool) { while !isTrue() { usleep(1000) } }

  /// Calls `body` with another name of the worker, by which it does something wrong.
  static func withWorker<Result>(named name: String, _ body: (String) throws -> Result) throws -> Result {
    let path = try linkToWorker(named: name)
    defer { unlink(path) }
    return try body(path)
  }

  /// Calls `body` with another name of the worker, by which it does something wrong.
  static func withWorker<Result>(named name: String, _ body: (String) async throws -> Result) async throws -> Result {
    let path = try linkToWorker(named: name)
    defer { unlink(path) }
    return try await body(path)
  }

  private static func linkToWorker(named name: String) throws -> String {
    let path = FileManager.default.temporaryDirectory.appending(path: "easel-\(UUID())-\(name)").path
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: worker)
    return path
  }

  /// The process with this first word in its command line.
  static func process(running path: String) -> pid_t? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.lazy.compactMap { pid_t($0) }.first { process in
      let words = try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
      return words?.hasPrefix("\(path)\0") == true
    }
  }
}
