import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselDisplay

/// The claims of frame sources are checked against their frames and for plausibility.
struct FrameCheckTests {
  private let url = URL(string: "http://host/a.toy")!

  private func emptyBitmap(_ size: PixelSize) throws -> Bitmap { try Bitmap(size: size, format: .opaqueRGBA8) }

  @Test func aFrameOfAnotherSizeThanTheOthersIsAnError() async throws {
    let frames = ClaimedFrames(laterSize: PixelSize(width: 5, height: 4))
    let image = Image(try emptyBitmap(frames.canvasSize), frames: frames)
    let studio = Studio()
    studio.loader.script(url, .image(image))
    let error = await studio.failure(url, .preloadAllFrames, [.storeLayers(.memory)])
    #expect(error?.code == .badImageData && error?.message.contains("5x4") == true)
    let same = TransformerPipeline.closure(key: "Same()") { $0 }
    let transformed = try same.transformAllFrames(of: image, work: WorkContext())
    #expect(throws: ImageError.self) { try transformed.frames?.frame(at: 1) }
    let player = try #require(ImagePlayer(image, budget: .patient(byteLimit: 0), clock: studio.clock))
    var shown = player.makeAsyncIterator()
    #expect(try await shown.next()?.index == 0)
    player.seek(toFrame: 1)
    await #expect(throws: ImageError.self) {
      var next = player.makeAsyncIterator()
      _ = try await next.next()
    }
  }

  @Test(arguments: [Int.min, .max]) func framesThatClaimNoPossibleMemoryAreLoadedAllTheSame(_ cost: Int) async throws {
    let frames = ClaimedFrames(memoryCost: cost)
    let studio = Studio()
    studio.loader.script(url, .image(Image(try emptyBitmap(frames.canvasSize), frames: frames)))
    for context in [[], [.transformer(.custom(TaggingTransformer(1)))]] as [ImageContext] {
      let result = try await studio.result(url, [.transformAnimated, .preloadAllFrames], context)
      #expect(result.image.isAnimated && result.image.memoryCost > 0)
    }
    await studio.settle()
  }
}
