import CEaselSandbox
import EaselCore
import EaselMisbehaving
import EaselPNG
import EaselTestTags
import FoundationEssentials
import Glibc
import Testing

@testable import EaselSandbox

/// A sandbox starts with all its layers, or says what is missing.
@Suite(.tags(.alone))
struct StartTests {
  private typealias T = SandboxTesting

  private func failure(_ configuration: Sandbox.Configuration, offering: Sandbox.Layers = .all) -> ImageError? {
    do {
      try Sandbox(configuration, offering: offering).start()
      return nil
    } catch {
      return error
    }
  }

  @Test func aSandboxHasItsLayers() throws {
    let layers = try Sandbox(T.configuration()).start()
    #expect(layers.contains(.callFilter))
  }

  /// Also when this process belongs to root; otherwise there are none anyway.
  @Test func theWorkerHasNoRightsOfRoot() throws {
    let sandbox = Sandbox(T.configuration())
    let process = try #require(sandbox.workerProcess())
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let rights = status.split(separator: "\n").filter { $0.hasPrefix("CapPrm") || $0.hasPrefix("CapEff") }
    #expect(rights.count == 2)
    #expect(rights.allSatisfy { $0.hasSuffix(":\t0000000000000000") }, "\(rights)")
    withExtendedLifetime(sandbox) {}
  }

  @Test func aMissingProgramIsNamed() throws {
    var configuration = T.configuration()
    configuration.program = "/nowhere/easel"
    let error = try #require(failure(configuration))
    #expect(error.code == .decoderCrashed)
    #expect(error.isTemporary)
    #expect(error.message.contains("could not start /nowhere/easel: No such file"), "\(error)")
  }

  @Test func aProgramIsNotStartedAgainUnlessItBecomesAWorker() throws {
    let error = try #require(failure(Sandbox.Configuration()))
    #expect(error.message.contains("this program is to be its own worker"), "\(error)")
  }

  @Test func aProgramThatIsNoWorkerIsNamed() throws {
    var configuration = T.configuration()
    configuration.program = "/bin/true"
    let error = try #require(failure(configuration))
    #expect(error.message.contains("Its main must begin with Sandbox.runIfWorker()"), "\(error)")
  }

  private func failure(ofWorkerNamed name: String) throws -> ImageError? {
    try T.withWorker(named: name) { path in
      var configuration = T.configuration()
      configuration.program = path
      return failure(configuration)
    }
  }

  /// It would go on without what it needs, such as fonts.
  @Test func aWorkerWhoseCodersAreNotReadyIsNotUsed() throws {
    let found = try failure(ofWorkerNamed: "worker-unready")
    let error = try #require(found)
    #expect(error.message.contains("could not make a coder ready: There is no file of colours."), "\(error)")
    #expect(error.isTemporary)
    #expect(!error.message.contains("runIfWorker"), "\(error)")
  }

  @Test func aKilledWorkerIsNotToldToBeginWithSomething() throws {
    let found = try failure(ofWorkerNamed: "worker-killed")
    let error = try #require(found)
    #expect(error.message.contains("was killed (signal 9, SIGKILL)"), "\(error)")
    #expect(!error.message.contains("runIfWorker"), "\(error)")
  }

  /// Half a second is long for a thread that will end, and nobody can tell why it takes so long.
  @Test func aThreadThatStillWorksIsWaitedFor() throws {
    #expect(try failure(ofWorkerNamed: "worker-with-late-thread") == nil)
  }

  @Test func aWorkerWithThreadsIsRefused() throws {
    let found = try failure(ofWorkerNamed: "worker-with-threads")
    let error = try #require(found)
    #expect(error.message.contains("had 2 threads when it called Sandbox.runIfWorker()"), "\(error)")
  }

  @Test func aHostMayHaveNoStandardStreams() throws { #expect(try status(ofHost: "host-without-streams") == 0) }

  @Test func withoutFilesInMemoryThereIsNoSandbox() throws {
    #expect(try status(ofHost: "host-without-memory-files") == 0)
  }

  private func status(ofHost name: String) throws -> CInt {
    try T.withWorker(named: name) { path in
      var process: pid_t = 0
      var words: [UnsafeMutablePointer<CChar>?] = [strdup(path), nil]
      var variables = [strdup("LD_LIBRARY_PATH=" + (getenv("LD_LIBRARY_PATH").map { String(cString: $0) } ?? "")), nil]
      defer { for word in [words[0], variables[0]] { free(word) } }
      let failure = posix_spawn(&process, path, nil, nil, &words, &variables)
      try #require(failure == 0)
      var status: CInt = 0
      let ended = waitpid(process, &status, 0)
      #expect(ended == process)
      return status
    }
  }

  @Test func aSilentWorkerIsGivenUp() throws {
    try T.withWorker(named: "worker-silent") { path in
      let error = #expect(throws: ImageError.self) { try ForkServer(program: path, patience: .milliseconds(50)) }
      #expect(error?.message.contains("did not answer as a worker within 0.05 seconds") == true, "\(error as Any)")
    }
  }

  @Test func withoutAFilterThereIsNoSandbox() throws {
    let error = try #require(failure(T.configuration(), offering: [.noFiles, .memoryLimit]))
    #expect(error.message.contains("does not allow a filter for system calls (seccomp)"), "\(error)")
  }

  @Test func withBestEffortThereIsWhatCanBeHad() throws {
    let sandbox = Sandbox(T.configuration(isBestEffort: true), offering: [.memoryLimit])
    #expect(try !sandbox.start().contains(.callFilter))
    let coder = Sandbox.Coder(MisbehavingCoder(), in: sandbox)
    let image = try coder.decode(Misdeed.nothing.bytes, options: DecodeOptions(), work: WorkContext())
    #expect(image.size == MisbehavingCoder.size)
    // A crash is still that of one picture.
    #expect(T.error(of: .crash, in: sandbox)?.code == .decoderCrashed)
  }

  @Test func withBestEffortAndNoWorkerThisProcessDecodes() throws {
    var configuration = T.configuration(isBestEffort: true)
    configuration.program = "/nowhere/easel"
    let sandbox = Sandbox(configuration)
    #expect(try sandbox.start() == [])
    let coder = Sandbox.Coder(MisbehavingCoder(), in: sandbox)
    let bytes = Misdeed.nothing.bytes
    #expect(try coder.probe(bytes, work: WorkContext()).storedSize == MisbehavingCoder.size)
    #expect(try coder.metadataBytes(of: bytes, work: WorkContext()) == nil)
    let image = try coder.decode(bytes, options: DecodeOptions(), work: WorkContext())
    #expect(image.size == MisbehavingCoder.size)
  }

  @Test func aCoderThatTheWorkerLacksIsNamed() throws {
    struct Unknown: ImageCoder {
      let identifier = "unknown"
      let formats = [ImageFormat(mimeType: "image/x-unknown")]
      func canDecode(prefix: [UInt8]) -> Bool { true }
      func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { throw CancellationError() }
      func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
        throw CancellationError()
      }
    }
    #expect {
      try T.sandboxed(Unknown()).probe(ImageBytes([1]), work: WorkContext())
    } throws: { ($0 as? ImageError)?.message.contains("has no coder unknown") == true }
  }

  @Test func aKilledWorkerIsReplaced() throws {
    let sandbox = Sandbox(T.configuration())
    let coder = Sandbox.Coder(MisbehavingCoder(), in: sandbox)
    for number in 0..<5 {
      kill(try #require(sandbox.workerProcess()), SIGKILL)
      let image = try coder.decode(Misdeed.nothing.bytes(number: number), options: DecodeOptions(), work: WorkContext())
      #expect(image.bitmap == (try MisbehavingCoder.picture(number: number)))
    }
  }

  /// A child whose host waits for nothing any more, not even for its end, is no harm to the others.
  @Test func theWorkerOutlivesAHostThatDoesNotListen() throws {
    let server = try ForkServer(program: T.worker)
    func child() throws -> SandboxChild { try server.child(of: T.kind, patience: nil, work: WorkContext()) }
    // Dropped while it lives, so that it is killed.
    for _ in 0..<20 { _ = try child() }
    let last = try child()
    last.kill()
    #expect(last.end.exit(within: 60_000) == .signalled(SIGKILL))
  }

  @Test func processorTimeHasAnEndOfItsOwn() throws {
    let server = try ForkServer(program: T.worker)
    let (input, output) = (try MemoryFile(), try MemoryFile())
    let picture = SandboxedImage(bytes: Misdeed.hang.bytes, coder: MisbehavingCoder().identifier)
    try picture.bytes.withUnsafeBytes { try input.replaceContent(by: $0) }
    var limits = easel_sandbox_limits(
      memory_bytes: 1 << 30, output_bytes: 1 << 20, processor_seconds: 1, needs_filter: 0)
    let child = try server.child(of: picture.childKind, patience: nil, work: WorkContext())
    var (opening, question) = (MessageWriter(), MessageWriter())
    ChildOpening(coder: picture.coder, byteCount: picture.bytes.count, limits: Limits()).write(to: &opening)
    ChildRequest.picture(DecodeOptions()).write(to: &question)
    let messages = [opening.bytes, question.bytes].flatMap { message in
      withUnsafeBytes(of: UInt32(message.count).littleEndian) { Array($0) } + message
    }
    let sent = easel_sandbox_send_picture(
      child.talk.number, &limits, input.descriptor.number, output.descriptor.number, messages, messages.count)
    #expect(sent == messages.count)
    #expect(child.end.exit(within: 60_000) == .signalled(SIGXCPU))
  }

  /// Pictures of common formats come from a worker without the libraries of all others.
  @Test func commonFormatsHaveAWorkerOfTheirOwn() throws {
    let sandbox = Sandbox(T.configuration())
    try sandbox.start()
    func mappings(_ group: WorkerGroup) throws -> [String] {
      let process = try #require(sandbox.workerProcess(for: group))
      let file = try #require(fopen("/proc/\(process)/maps", "re"))
      defer { fclose(file) }
      var lines: [String] = []
      var line = [CChar](repeating: 0, count: 4096)
      while fgets(&line, CInt(line.count), file) != nil {
        lines.append(String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
      }
      return lines
    }
    let (common, others) = (try mappings(.common), try mappings(.others))
    guard T.hasMemoryLimit else { return }
    #expect(!common.contains { $0.contains("libcurl.") || $0.contains("librsvg-") })
    #expect(common.contains { $0.contains("libjpeg.") })
    #expect(others.contains { $0.contains("librsvg-") })
    #expect(2 * common.count < others.count)
  }

  /// Its children inherit most of the filter then, and whatever was forbidden stays so.
  @Test func aWorkerOfManyChildrenHasTheirFilter() throws {
    let sandbox = Sandbox(T.configuration())
    let worker = try #require(sandbox.workerProcess())
    func hasFilter() -> Bool {
      let status = (try? String(contentsOfFile: "/proc/\(worker)/status", encoding: .utf8)) ?? ""
      return status.contains("\nSeccomp:\t2\n")
    }
    #expect(!hasFilter())
    let coder = Sandbox.Coder(MisbehavingCoder(), in: sandbox)
    for number in 0..<20 {
      let image = try coder.decode(Misdeed.nothing.bytes(number: number), options: DecodeOptions(), work: WorkContext())
      #expect(image.bitmap == (try MisbehavingCoder.picture(number: number)))
    }
    T.wait { hasFilter() }
    for (misdeed, code, message) in MisdeedTests.expectations where code != .limitExceeded {
      let error = try #require(T.error(of: misdeed, in: sandbox, limits: Limits()))
      #expect(error.code == code, "\(misdeed): \(error)")
      #expect(error.message.contains(message) || !T.hasMemoryLimit, "\(misdeed): \(error)")
    }
    #expect(sandbox.workerProcess() == worker)
  }

  /// The common formats have their code in huge pages then, if the system has any.
  @Test func aWorkerOfManyChildrenDecodesAsBefore() throws {
    let sandbox = Sandbox(T.configuration())
    let coder = PNGCoder()
    let picture = try MisbehavingCoder.picture(number: 7)
    let bytes = try coder.encode(Image(picture), as: .png, options: EncodeOptions(), work: WorkContext())
    let right = try coder.decode(bytes, options: DecodeOptions(), work: WorkContext())
    let worker = try #require(sandbox.workerProcess(for: .common))
    for _ in 0..<40 {
      let image = try Sandbox.Coder(coder, in: sandbox).decode(bytes, options: DecodeOptions(), work: WorkContext())
      #expect(image.bitmap == right.bitmap)
    }
    #expect(sandbox.workerProcess(for: .common) == worker)
  }

  @Test func theWorkerEndsWithItsSandbox() throws {
    var process: pid_t = 0
    do {
      let sandbox = Sandbox(T.configuration())
      process = try #require(sandbox.workerProcess())
      #expect(kill(process, 0) == 0)
    }
    #expect(kill(process, 0) == -1)
  }
}
