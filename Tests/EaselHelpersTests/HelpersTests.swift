import EaselCore
import EaselFormats
import EaselMisbehaving
import EaselSandbox
import EaselTestSupport
import EaselTestTags
import Testing

@testable import EaselHelpers

/// A program of its own decodes a format under the rules of the sandbox.
@Suite(.tags(.alone))
struct HelpersTests {
  private static let worker = ProgramBesideTests.path("EaselSandboxWorker")!

  /// Helpers with one card for a program whose coder can misbehave.
  private func with(
    _ program: String = worker, coder: String = "misbehaving", more: String = "", _ body: (Helpers) throws -> Void
  ) throws {
    try CardFolder.with { folder in
      try folder.write("a.card", coder: coder, program: program, more: more)
      let cards = HelperCards(directories: [folder.path])
      #expect(cards.mistakes.isEmpty, "\(cards.mistakes)")
      try body(Helpers(cards))
    }
  }

  private var hasty: WorkContext {
    var limits = Limits()
    limits.decodeTime = .milliseconds(300)
    return WorkContext(limits: limits)
  }

  @Test func aHelperDecodesWhatNoCoderOfThisProcessKnows() throws {
    try with { helpers in
      try helpers.start()
      let coders = CoderRegistry().adding(helpers)
      #expect(coders.formats.map(\.mimeType) == ["image/x-misbehaving"])
      let header = try coders.probe(Misdeed.nothing.bytes, work: WorkContext())
      #expect(header.format.mimeType == "image/x-misbehaving")
      let image = try coders.decode(Misdeed.nothing.bytes, options: DecodeOptions(), work: WorkContext())
      #expect(image.size == header.storedSize)
      #expect(throws: ImageError.self) { try coders.probe(ImageBytes(Array("other".utf8)), work: WorkContext()) }
    }
  }

  @Test(arguments: [Misdeed.crash, .hang, .openFile, .openSocket, .fork, .execute, .lieAboutSize, .writeGarbage])
  func aHelperThatBreaksTheRulesCostsOnlyItsPicture(_ misdeed: Misdeed) throws {
    try with { helpers in
      let coders = CoderRegistry().adding(helpers)
      let error = #expect(throws: ImageError.self) {
        try coders.decode(misdeed.bytes, options: DecodeOptions(), work: hasty)
      }
      #expect([.decoderCrashed, .limitExceeded, .badImageData].contains(error?.code), "\(error as Any)")
      _ = try coders.decode(Misdeed.nothing.bytes, options: DecodeOptions(), work: WorkContext())
    }
  }

  @Test func theMemoryOfTheCardIsALimit() throws {
    guard try Sandbox(configuration).start().contains(.memoryLimit) else { return }
    try with(more: "memory-mib = 16\nbytes-per-pixel = 0") { helpers in
      let error = #expect(throws: ImageError.self) {
        try CoderRegistry().adding(helpers).decode(
          Misdeed.allocate.bytes, options: DecodeOptions(), work: WorkContext())
      }
      #expect([.decoderCrashed, .limitExceeded].contains(error?.code), "\(error as Any)")
    }
  }

  private var configuration: Sandbox.Configuration {
    var configuration = Sandbox.Configuration()
    configuration.program = Self.worker
    return configuration
  }

  @Test func aProgramThatIsNoHelperIsAnErrorAtTheStart() throws {
    for (program, reason) in [
      ("/bin/true", "did not answer as a worker"), ("/bin/false", "did not answer as a worker"),
    ] {
      try with(program) { helpers in
        let error = #expect(throws: ImageError.self) { try helpers.start() }
        #expect(error?.message.contains("There is no sandbox: \(program)") == true)
        #expect(error?.message.contains(reason) == true, "\(error as Any)")
      }
    }
  }

  @Test func aProgramThatLacksTheCoderSaysSo() throws {
    try with(coder: "absent") { helpers in
      let error = #expect(throws: ImageError.self) {
        try helpers.coders[0].probe(Misdeed.nothing.bytes, work: WorkContext())
      }
      #expect(error?.message.contains("has no coder absent") == true, "\(error as Any)")
    }
  }

  /// The sandbox of the program has no such coder.
  @Test func aHelperStaysInItsOwnSandbox() throws {
    try with { helpers in
      let other = Sandbox()
      let coders = CoderRegistry().adding(helpers).sandboxed(in: other)
      _ = try coders.decode(Misdeed.nothing.bytes, options: DecodeOptions(), work: WorkContext())
      #expect(coders.coders.count == 1)
      #expect(FormatCards(coders).all.map(\.name) == ["misbehaving"])
    }
  }

  @Test func othersAreAskedBefore() throws {
    struct Known: ImageCoder {
      let identifier: String
      let formats: [ImageFormat] = []
      func canDecode(prefix: [UInt8]) -> Bool { false }
      func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { throw CancellationError() }
      func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
        throw CancellationError()
      }
    }
    let own = CoderRegistry([Known(identifier: "own")])
    try with { #expect(own.adding($0).coders.map(\.identifier) == ["misbehaving", "own"]) }
    try with(more: "asked-first = yes") { helpers in
      #expect(own.adding(helpers).coders.map(\.identifier) == ["own", "misbehaving"])
    }
    try with(coder: "own") { #expect(own.adding($0).coders.count == 1) }
  }
}
