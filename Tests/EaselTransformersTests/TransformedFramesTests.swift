import EaselCore
import EaselPixels
import EaselSupport
import EaselTestPixels
import EaselTransformers
import Testing

struct TransformedFramesTests {
  /// Frames of one grey each; the calls are counted.
  private final class GreyFrames: FrameSource {
    let asked = Locked<[Int]>([])
    let count = 5
    let loopCount = 3
    let canvasSize = PixelSize(width: 40, height: 20)
    let memoryCost = 100
    func duration(at index: Int) -> Duration { .milliseconds(20 * (index + 1)) }
    func frame(at index: Int) throws -> Bitmap {
      asked.withLock { $0.append(index) }
      return try Bitmap(40, 20, .gray8) { _, _ in [index * 50] }
    }
  }

  @Test func framesAreMadeOneAtATimeWhenAskedFor() throws {
    let frames = GreyFrames()
    let pipeline: TransformerPipeline = [.resize(width: 10), .invert()]
    let image = Image(try frames.frame(at: 0), format: .gif, frames: frames)
    let result = try pipeline.transformAllFrames(of: image, work: WorkContext())
    #expect(frames.asked.withLock { $0 } == [0, 0])
    let transformed = try #require(result.frames)
    #expect(transformed.count == 5 && transformed.loopCount == 3 && transformed.duration(at: 2) == .milliseconds(60))
    #expect(transformed.canvasSize == PixelSize(width: 10, height: 5) && result.size == transformed.canvasSize)
    #expect(transformed.memoryCost < 100 + 10_000)
    for index in [3, 0, 4] {
      let frame = try transformed.frame(at: index)
      #expect(try frame == Bitmap(10, 5, .gray8) { _, _ in [255 - index * 50] })
    }
    #expect(frames.asked.withLock { $0 } == [0, 0, 3, 4])
    #expect(result.format == .gif)
  }

  @Test func aStillPictureIsTransformedAtOnce() throws {
    let image = Image(try Bitmap.noise(8, 4, .rgba8))
    let result = try TransformerPipeline.resize(width: 4).transformAllFrames(of: image, work: WorkContext())
    #expect(result.size == PixelSize(width: 4, height: 2) && result.frames == nil)
  }

  @Test func oneFrameAloneIsNoMovingPicture() throws {
    let frames = GreyFrames()
    let image = Image(try frames.frame(at: 0), frames: frames)
    let result = try TransformerPipeline.resize(width: 4).transform(image, work: WorkContext())
    #expect(result.frames == nil && result.size.width == 4)
  }

  @Test func framesOfDifferentSizesAreAnError() throws {
    let frames = GreyFrames()
    let shrinking = TransformerPipeline.closure(key: "Shrink") { image in
      let side = image.bitmap.components(0, 0)[0] == 0 ? 4 : 2
      return Image(try Bitmap.noise(side, side, .gray8))
    }
    let source = try TransformedFrameSource(frames, transformer: shrinking, work: WorkContext())
    let error = #expect(throws: ImageError.self) { try source.frame(at: 1) }
    #expect(error?.code == .transformFailed && error?.message.contains("Shrink") == true)
  }

  @Test func limitsHoldOverAllFrames() throws {
    var limits = Limits()
    limits.totalPixels = 4 * 40 * 20
    let error = #expect(throws: ImageError.self) {
      try TransformedFrameSource(
        GreyFrames(), transformer: TransformerPipeline.flip(horizontal: true), work: WorkContext(limits: limits))
    }
    #expect(error?.code == .limitExceeded)
  }
}
