import CEaselSandbox
import EaselCore
import EaselMisbehaving
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Glibc
import Testing

@testable import EaselSandbox

/// Somebody ends or stops processes of the sandbox: the pictures are right all the same.
@Suite(.tags(.alone))
struct DisturbanceTests {
  private typealias T = SandboxTesting

  private func decode(_ number: Int, _ sandbox: Sandbox) throws {
    let coder = Sandbox.Coder(MisbehavingCoder(), in: sandbox)
    let image = try coder.decode(Misdeed.nothing.bytes(number: number), options: DecodeOptions(), work: WorkContext())
    #expect(image.bitmap == (try MisbehavingCoder.picture(number: number)))
  }

  /// A child that waits for the picture after the first one.
  private func spare(of sandbox: Sandbox) throws -> (worker: pid_t, spare: pid_t) {
    let worker = try #require(sandbox.workerProcess())
    try decode(0, sandbox)
    T.wait { !T.children(of: worker).isEmpty }
    return (worker, try #require(T.children(of: worker).first))
  }

  @Test func aStoppedWorkerIsReplaced() throws {
    let sandbox = Sandbox(T.configuration())
    let worker = try #require(sandbox.workerProcess())
    kill(worker, SIGSTOP)
    try decode(1, sandbox)
    #expect(try #require(sandbox.workerProcess()) != worker)
    T.wait { kill(worker, 0) == -1 }
    try decode(2, sandbox)
  }

  @Test(arguments: [SIGSTOP, SIGKILL])
  func aSpareChildThatEndsOrStopsIsReplaced(signal: CInt) throws {
    let sandbox = Sandbox(T.configuration())
    let (worker, first) = try spare(of: sandbox)
    for number in 0..<5 {
      for child in T.children(of: worker) { kill(child, signal) }
      try decode(number, sandbox)
    }
    #expect(sandbox.workerProcess() == worker)
    T.wait { kill(first, 0) == -1 }
  }

  /// Neither a limit nor a crash of the picture: the next request tries it again.
  @Test(arguments: [SIGKILL, SIGTERM])
  func aChildThatSomebodyEndsDoesNotBlameItsPicture(signal: CInt) async throws {
    let sandbox = Sandbox(T.configuration())
    let worker = try #require(sandbox.workerProcess())
    async let failure = runBlocking { T.error(of: .hang, in: sandbox, limits: Limits()) }
    // The one that has its bytes and computes; the others wait for theirs.
    var busy: pid_t?
    T.wait {
      busy = T.children(of: worker).first {
        access("/proc/\($0)/fd/\(EASEL_SANDBOX_INPUT)", F_OK) == 0 && easel_sandbox_used_time($0) > 50_000_000
      }
      return busy != nil
    }
    kill(try #require(busy), signal)
    let error = try #require(await failure)
    #expect(error.code == .decoderCrashed && error.isTemporary && error.causes.isEmpty)
    #expect(error.message.contains("ended from outside (signal \(signal)"), "\(error)")
    #expect(sandbox.workerProcess() == worker)
    try decode(1, sandbox)
  }

  @Test func aKillReachesAWorkerThatDoesNotListen() throws {
    let server = try ForkServer(program: T.worker)
    let child = try server.child(of: T.kind, patience: nil, work: WorkContext())
    kill(server.process, SIGSTOP)
    T.wait { server.isStopped }
    // Orders fill what the worker has not read.
    var order = easel_sandbox_kind(has_threads: 0)
    while easel_sandbox_order(server.control.number, &order) == 0 {}
    #expect(errno == EAGAIN)
    child.kill()
    #expect(child.end.exit(within: 0) == nil)
    kill(server.process, SIGCONT)
    #expect(child.end.exit(within: 60_000) == .signalled(SIGKILL))
  }

  /// A worker that is slow to start holds up neither a caller who gives up nor the others' locks.
  @Test func whoWaitsForTheStartMayLeave() async throws {
    try await T.withWorker(named: "worker-silent") { path in
      var configuration = T.configuration()
      configuration.program = path
      var patience = Sandbox.Patience()
      patience.start = .seconds(3600)
      let sandbox = Sandbox(configuration, offering: .all, patience: patience)
      async let failure = runBlocking { Result { try sandbox.start() } }
      T.wait { T.process(running: path) != nil }
      #expect {
        try Sandbox.Coder(MisbehavingCoder(), in: sandbox).decode(
          Misdeed.nothing.bytes, options: DecodeOptions(), work: WorkContext(limits: T.impatient))
      } throws: { ($0 as? ImageError)?.code == .limitExceeded }
      let worker = try #require(T.process(running: path))
      kill(worker, SIGKILL)
      let result = await failure
      #expect(throws: ImageError.self) { try result.get() }
    }
  }

  @Test func forLackOfMemoryChildrenEndFirst() throws {
    func eagerness(_ process: pid_t) throws -> String {
      try String(contentsOfFile: "/proc/\(process)/oom_score_adj", encoding: .utf8)
    }
    let sandbox = Sandbox(T.configuration())
    let (worker, child) = try spare(of: sandbox)
    #expect(try eagerness(child) == "1000\n")
    // The worker has that eagerness itself for a moment, while it makes the child.
    let own = try eagerness(getpid())
    T.wait { (try? eagerness(worker)) == own }
    withExtendedLifetime(sandbox) {}
  }
}
