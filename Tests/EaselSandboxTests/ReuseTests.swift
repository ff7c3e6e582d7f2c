import EaselCore
import EaselMisbehaving
import EaselPNG
import EaselTestPixels
import EaselTestTags
import Testing

@testable import EaselSandbox

/// A process decodes several pictures of one trust if that is allowed, and a new one follows anything odd.
@Suite(.tags(.alone), .serialized)
struct ReuseTests {
  private typealias T = SandboxTesting

  private func sandbox(pictures: Int) -> Sandbox {
    var configuration = T.configuration()
    configuration.picturesPerProcess = pictures
    return Sandbox(configuration)
  }

  /// The number of the process that decodes a picture, and the picture.
  private func decode(_ misdeed: Misdeed = .nothing, number: Int, _ sandbox: Sandbox) throws -> (pid: Int, Bitmap) {
    let picture = SandboxedImage(bytes: misdeed.bytes(number: number), coder: MisbehavingCoder().identifier)
    let work = WorkContext(limits: misdeed == .hang ? T.impatient : Limits())
    return try #require(
      try sandbox.withProcess(for: picture, work: work) { process, _ in
        let image = try process.image(process.picture(DecodeOptions(), work: work), limits: work.limits)
        sandbox.reuse(process)
        return (process.number, image.bitmap)
      })
  }

  @Test func eachPictureHasAProcessOfItsOwnByDefault() throws {
    let sandbox = sandbox(pictures: 1)
    let processes = try (0..<5).map { try decode(number: $0, sandbox).pid }
    #expect(Set(processes).count == 5)
  }

  @Test func aProcessDecodesAsManyAsItMay() throws {
    let sandbox = sandbox(pictures: 3)
    var processes: [Int] = []
    for number in 0..<7 {
      let (process, bitmap) = try decode(number: number, sandbox)
      #expect(bitmap == (try MisbehavingCoder.picture(number: number)))
      processes.append(process)
    }
    #expect(processes[0] == processes[1] && processes[1] == processes[2])
    #expect(Set(processes).count == 3)
  }

  @Test(arguments: [Misdeed.throwOddly, .crash, .hang, .writeGarbage])
  func afterAnythingOddThereIsANewOne(misdeed: Misdeed) throws {
    let sandbox = sandbox(pictures: 100)
    let first = try decode(number: 1, sandbox).pid
    #expect(throws: ImageError.self) { try decode(misdeed, number: 2, sandbox) }
    let (next, bitmap) = try decode(number: 3, sandbox)
    #expect(next != first)
    #expect(bitmap == (try MisbehavingCoder.picture(number: 3)))
  }

  @Test func picturesOfAllSizesFollowOneAnother() throws {
    let sandbox = sandbox(pictures: 100)
    let coder = Sandbox.Coder(PNGCoder(), in: sandbox)
    for (width, height) in [(640, 480), (8, 8), (1200, 900), (300, 200), (1, 1), (640, 480)] {
      let bitmap = try Bitmap.noise(width, height, .opaqueRGBA8)
      let bytes = try PNGCoder().encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext())
      #expect(try coder.probe(bytes, work: WorkContext()).storedSize == bitmap.size)
      #expect(try coder.decode(bytes, options: DecodeOptions(), work: WorkContext()).bitmap == bitmap)
    }
  }
}
