import EaselCore
import EaselMisbehaving
import EaselTestTags
import Testing

@testable import EaselSandbox

/// A coder of a stranger is prepared before the sandbox closes, and gets the threads that it asks for.
@Suite(.tags(.alone))
struct GuestTests {
  private typealias T = SandboxTesting

  private func decoded(in sandbox: Sandbox) throws -> Image {
    try Sandbox.Coder(PreparedCoder(), in: sandbox)
      .decode(PreparedCoder.picture, options: DecodeOptions(), work: WorkContext())
  }

  /// Its picture has a colour from a file that a child cannot open, and each starts a thread.
  @Test func whatWasPreparedIsThereForEveryPicture() throws {
    let color = try #require(PreparedCoder.colorOfFile)
    for _ in 0..<3 {
      let image = try decoded(in: T.sandbox)
      #expect(image.bitmap.withUnsafeBytes { Array($0.prefix(4)) } == [color, color, color, 255])
    }
  }

  @Test func withoutASandboxItDoesNotDecode() throws {
    var configuration = T.configuration(isBestEffort: true)
    configuration.program = "/no/such/program"
    let error = #expect(throws: ImageError.self) { try decoded(in: Sandbox(configuration)) }
    #expect(error?.message.contains("the coder prepared decodes in no other place") == true, "\(error as Any)")
  }

  @Test func theOneWhoAsksForNothingGetsNothing() throws {
    struct Plain: SandboxGuest {
      let identifier = "plain"
      let formats: [ImageFormat] = []
      func canDecode(prefix: [UInt8]) -> Bool { false }
      func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { throw CancellationError() }
      func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
        throw CancellationError()
      }
    }
    let plain = Plain()
    #expect(!plain.startsThreads && !plain.staysInSandbox)
    #expect(try plain.prepareForSandbox(threadsEnd: { true }) == nil)
    #expect(plain.memoryBytes(forFileOf: 9, limits: Limits()) == nil)
  }
}
