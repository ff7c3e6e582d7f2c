import EaselCore
import EaselEverything
import EaselFormats
import EaselMisbehaving
import EaselTestSupport
import EaselTestTags
import Glibc
import Testing

@testable import EaselSandbox

/// Each decoder of Easel runs code of an attacker in its child: the code reaches nothing, and other pictures are right.
@Suite(.tags(.alone), .serialized)
struct RedTeamTests {
  private typealias T = SandboxTesting

  private static let coders = CoderRegistry.everything.coders

  /// What such code may try first: to run, to reach out, to lie.
  private static let misdeeds: [Misdeed] = [
    .crash, .hang, .growOutput, .fork, .openFile, .openSocket, .signalParent, .trace, .execute, .makeCode,
    .lieAboutSize, .lieAboutOffset, .announceTooMuch, .writeGarbage, .closeSocket,
  ]

  /// A small picture in the first format of a coder; nil if there is none.
  private static func sample(of coder: any ImageCoder) -> ImageBytes? {
    if let bytes = FormatCards.cards(of: coder).lazy.compactMap(\.sample).first { return ImageBytes(bytes) }
    if coder.identifier == "svg" {
      return ImageBytes(Array("<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'/>".utf8))
    }
    guard let encoder = coder.capability((any EncodingCoder).self),
      let format = coder.formats.first(where: encoder.canEncode),
      let bitmap = try? Bitmap(width: 80, height: 60, format: .opaqueRGBA8)
    else { return nil }
    return try? encoder.encode(Image(bitmap), as: format, options: EncodeOptions(), work: WorkContext())
  }

  @Test func eachDecoderHasASample() {
    for coder in Self.coders { #expect(Self.sample(of: coder) != nil, "\(coder.identifier)") }
  }

  @Test(arguments: coders.indices) func codeInADecoderReachesNothing(_ index: Int) throws {
    let bytes = try #require(Self.sample(of: Self.coders[index]))
    let before = T.openDescriptors
    var worker: pid_t = 0
    do {
      let sandbox = Sandbox(T.configuration())
      worker = try #require(sandbox.workerProcess())
      let coder = Sandbox.Coder(PlantedCoder(Self.coders[index]), in: sandbox)
      let right = try coder.decode(bytes, options: DecodeOptions(), work: WorkContext()).bitmap
      for misdeed in Self.misdeeds {
        let limits = misdeed == .hang ? T.impatient : Limits()
        let error = #expect(throws: ImageError.self, "\(misdeed)") {
          try coder.decode(bytes, options: PlantedCoder.options(for: misdeed), work: WorkContext(limits: limits))
        }
        let code = MisdeedTests.expectations.first { $0.0 == misdeed }?.1 ?? .decoderCrashed
        #expect(error?.code == code, "\(misdeed): \(error as Any)")
        let next = try coder.decode(bytes, options: DecodeOptions(), work: WorkContext())
        #expect(next.bitmap == right, "after \(misdeed)")
      }
      #expect(sandbox.workerProcess() == worker)
    }
    // Nothing remains: no process, which would have the worker as its parent, and no file.
    T.wait { kill(worker, 0) == -1 }
    T.wait { T.openDescriptors <= before }
  }
}
