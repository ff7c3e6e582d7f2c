import EaselCore
import EaselMisbehaving
import EaselTestTags
import Glibc
import Testing

@testable import EaselSandbox

/// A decoder that misbehaves is an error of its picture, and the next picture is right.
@Suite(.tags(.alone), .serialized)
struct MisdeedTests {
  private typealias T = SandboxTesting

  /// The code of the error, and a part of its message that says what happened.
  static let expectations: [(Misdeed, ImageError.Code, String)] = [
    (.crash, .decoderCrashed, "signal 11, SIGSEGV"), (.trap, .decoderCrashed, "crashed (signal"),
    (.abort, .decoderCrashed, "signal 6, SIGABRT"), (.exit, .decoderCrashed, "status 7"),
    (.hang, .limitExceeded, "did not finish within 0.3 seconds"),
    (.sleep, .limitExceeded, "did not finish"), (.stop, .decoderCrashed, "SIGSYS"),
    (.killItself, .decoderCrashed, "SIGSYS"),
    (.recurse, .decoderCrashed, "SIGSEGV"),
    (.growOutput, .limitExceeded, "268435456 bytes of memory"),
    (.fork, .badImageData, "fork was refused with 13"), (.startThread, .badImageData, "A thread was refused"),
    (.openFile, .badImageData, "open was refused with 13"),
    (.writeFile, .badImageData, "creation was refused with 13"),
    (.listFolder, .badImageData, "opendir was refused with 13"),
    (.openSocket, .badImageData, "socket was refused with 13"),
    (.connect, .decoderCrashed, "SIGSYS"), (.readMemory, .decoderCrashed, "SIGSYS"),
    (.signalParent, .decoderCrashed, "SIGSYS"), (.trace, .decoderCrashed, "SIGSYS"),
    (.execute, .decoderCrashed, "SIGSYS"), (.makeCode, .badImageData, "executable memory was refused with 13"),
    (.pageOut, .badImageData, "advice was refused with 22"),
    (.lendPriority, .badImageData, "a lock with priority was refused with 38"),
    (.lieAboutSize, .decoderCrashed, "makes no sense"),
    (.lieAboutOffset, .decoderCrashed, "claimed 4800 bytes of pixels at 549755813888, but its file has"),
    (.lieAboutStride, .decoderCrashed, "makes no sense"), (.lieAboutMetadata, .decoderCrashed, "makes no sense"),
    (.lieAboutOrientation, .decoderCrashed, "makes no sense"),
    (.lieAboutFormat, .decoderCrashed, "claimed a format that is not its own"),
    (.answerAnotherQuestion, .decoderCrashed, "makes no sense"),
    (.announceTooMuch, .decoderCrashed, "announced an answer of 4294967295 bytes"),
    (.announceAndStop, .limitExceeded, "did not finish"), (.announceAndTrickle, .limitExceeded, "did not finish"),
    (.writeGarbage, .decoderCrashed, "makes no sense"),
    (.writeNothing, .limitExceeded, "did not finish"), (.shrinkOutput, .decoderCrashed, "SIGSYS"),
    (.throwOddly, .badImageData, "red"),
  ]

  @Test(arguments: expectations)
  func isAnError(_ misdeed: Misdeed, _ code: ImageError.Code, _ message: String) throws {
    // Only what hangs has to wait for its limit; on a busy machine the others could meet it.
    let hangs = code == .limitExceeded && misdeed != .growOutput
    let error = try #require(T.error(of: misdeed, limits: hangs ? T.impatient : Limits()))
    #expect(error.code == code)
    let isReported = !SandboxTesting.hasMemoryLimit && error.message.contains("status 1") && code == .decoderCrashed
    #expect(error.message.contains(message) || isReported, "\(error)")
    try nextPictureIsRight()
  }

  @Test(.enabled(if: SandboxTesting.hasMemoryLimit, "A build with a sanitizer has no limit of memory."))
  func memoryWithoutEndIsALimit() throws {
    var limits = Limits()
    limits.decodeTime = .seconds(20)
    let error = try #require(T.error(of: .allocate, limits: limits))
    #expect(error.code == .limitExceeded)
    #expect(error.message.contains("Raise Sandbox.Configuration.memoryBytes"), "\(error)")
    try nextPictureIsRight()
  }

  @Test func tooManyFramesAreRefusedByTheManagersChecks() throws {
    var limits = Limits()
    limits.frames = 100
    let error = try #require(T.error(of: .lieAboutFrames, limits: limits))
    #expect(error.code == .limitExceeded)
    #expect(error.message.contains("frames"), "\(error)")
  }

  @Test(arguments: [
    (Misdeed.crash, "SIGSEGV"),
    (.lieAboutOffset, "claimed 4800 bytes of a file at 549755813888, but its file has"),
    (.lieAboutMetadata, "makes no sense"), (.answerAnotherQuestion, "another question"),
  ])
  func aFileInsideIsCheckedLikePixels(_ misdeed: Misdeed, _ message: String) throws {
    let coder = T.sandboxed(MisbehavingCoder())
    let error = #expect(throws: ImageError.self) {
      try coder.repacked(misdeed.bytes, as: .jpeg, withMetadata: true, work: WorkContext())
    }
    #expect(error?.code == .decoderCrashed)
    let isReported = !T.hasMemoryLimit && error?.message.contains("status 1") == true
    #expect(error?.message.contains(message) == true || isReported, "\(error as Any)")
    let whole = Misdeed.nothing.bytes(number: 5)
    let file = try coder.repacked(whole, as: .jpeg, withMetadata: true, work: WorkContext())
    #expect(try file?.data() == MisbehavingCoder.file(number: 5).data())
  }

  @Test(arguments: [Misdeed.nothing, .lieAboutSize]) func noFileInsideAndOneThatIsTooLongAreNone(_ misdeed: Misdeed)
    throws
  {
    let coder = T.sandboxed(MisbehavingCoder())
    #expect(try coder.repacked(misdeed.bytes, as: .jpeg, withMetadata: true, work: WorkContext()) == nil)
  }

  @Test func aHeaderOfAnotherFormatIsRefused() throws {
    #expect {
      try T.sandboxed(MisbehavingCoder()).probe(Misdeed.lieAboutFormat.bytes, work: WorkContext())
    } throws: { ($0 as? ImageError)?.code == .decoderCrashed }
  }

  @Test func aClosedSocketIsAnError() throws {
    // The child lives on, so nobody can say how it ended: it is killed.
    let error = try #require(T.error(of: .closeSocket))
    #expect(error.code == .decoderCrashed)
    try nextPictureIsRight()
  }

  @Test func whoAnswersAndGoesOnIsEnded() throws {
    // The files wait for their child's death for longer than the test may take.
    let files = (in: MemoryFilePool(idleTime: .seconds(3600)), out: MemoryFilePool(idleTime: .seconds(3600)))
    do {
      let process = try DecoderProcess(
        SandboxedImage(bytes: Misdeed.outstay.bytes, coder: MisbehavingCoder().identifier),
        server: ForkServer(program: T.worker), inputs: files.in, outputs: files.out, configuration: T.configuration(),
        work: WorkContext())
      #expect(try process.picture(DecodeOptions(), work: WorkContext()).bitmap.size == MisbehavingCoder.size)
    }
    T.wait { (try? files.out.take().byteCount) ?? 0 > 0 }
  }

  /// The children of coders whose libraries start threads may do that, and nothing else that others may not do.
  @Test(arguments: [Misdeed.fork, .openFile, .openSocket, .execute, .signalParent, .trace, .makeCode, .lendPriority])
  func threadsOpenNoOtherDoor(misdeed: Misdeed) throws {
    let (_, code, message) = try #require(Self.expectations.first { $0.0 == misdeed })
    let error = #expect(throws: ImageError.self) { try decodeWithThreads(misdeed) }
    #expect(error?.code == code)
    #expect(error?.message.contains(message) == true || !T.hasMemoryLimit, "\(error as Any)")
  }

  @Test func threadsAreForThoseWhoNeedThem() throws {
    _ = try decodeWithThreads(.startThread)
    #expect(T.error(of: .startThread)?.message.contains("A thread was refused") == true)
  }

  private func decodeWithThreads(_ misdeed: Misdeed) throws -> Image {
    let picture = SandboxedImage(bytes: misdeed.bytes, coder: MisbehavingCoder().identifier, hasThreads: true)
    let work = WorkContext(limits: T.impatient)
    return try T.sandbox.withProcess(for: picture, work: work) { process, _ in
      try process.image(process.picture(DecodeOptions(), work: work), limits: work.limits)
    }!
  }

  @Test func everyMisdeedHasAnExpectation() {
    let tested = Self.expectations.map(\.0) + [.allocate, .lieAboutFrames, .closeSocket]
    #expect(Set(tested) == Set(Misdeed.failing))
  }

  @Test func theInputCannotBeChanged() throws {
    // The coder throws if its write succeeds.
    let image = try T.sandboxed(MisbehavingCoder()).decode(
      Misdeed.changeInput.bytes, options: DecodeOptions(), work: WorkContext())
    #expect(image.bitmap == (try MisbehavingCoder.picture(number: 0)))
  }

  @Test func nobodySeesThePixelsOfAnother() throws {
    let sandbox = Sandbox(T.configuration())
    let coder = Sandbox.Coder(MisbehavingCoder(), in: sandbox)
    for number in 1..<20 {
      _ = try coder.decode(Misdeed.nothing.bytes(number: number), options: DecodeOptions(), work: WorkContext())
      let seen = try coder.decode(
        Misdeed.showOthers.bytes(number: number), options: DecodeOptions(), work: WorkContext())
      #expect(seen.bitmap.withUnsafeBytes { $0.allSatisfy { $0 == 0 } })
    }
  }

  @Test func oddMessagesAreMadeReadable() throws {
    let message = try #require(T.error(of: .throwOddly)).message
    #expect(message.count <= 1000)
    #expect(!message.unicodeScalars.contains { $0.value < 32 || $0 == "\u{202e}" })
  }

  @Test func cancelledWorkEndsItsChild() throws {
    let coder = T.sandboxed(MisbehavingCoder())
    #expect {
      try coder.decode(Misdeed.hang.bytes, options: DecodeOptions(), work: WorkContext(isCancelled: true))
    } throws: { ($0 as? ImageError)?.code == .cancelled }
  }

  private func nextPictureIsRight() throws {
    let coder = T.sandboxed(MisbehavingCoder())
    let image = try coder.decode(Misdeed.nothing.bytes(number: 5), options: DecodeOptions(), work: WorkContext())
    #expect(image.bitmap == (try MisbehavingCoder.picture(number: 5)))
  }
}
