import EaselCore
import Testing

struct FrameArrayTests {
  private func bitmaps(_ sizes: (Int, Int)...) throws -> [Bitmap] {
    try sizes.map { try Bitmap(size: PixelSize(width: $0.0, height: $0.1), format: .rgba8) }
  }

  @Test func framesAndTheirTimesAreThoseThatWereGiven() throws {
    let bitmaps = try bitmaps((3, 2), (3, 2))
    let frames = try FrameArray(bitmaps, durations: [.milliseconds(20), .seconds(1)], loopCount: 4)
    #expect(frames.count == 2 && frames.loopCount == 4 && frames.canvasSize == PixelSize(width: 3, height: 2))
    #expect(frames.duration(at: 1) == .seconds(1) && frames.totalDuration == .milliseconds(1020))
    #expect(try frames.frame(at: 1) == bitmaps[1])
    #expect(frames.memoryCost == bitmaps[0].memoryCost + bitmaps[1].memoryCost)
    let image = Image(bitmaps[0], frames: try .frames(bitmaps, each: .milliseconds(40)))
    #expect(image.frames?.totalDuration == .milliseconds(80) && image.frames?.loopCount == 0)
  }

  @Test func framesThatMakeNoMovingPictureAreRefused() throws {
    let two = try bitmaps((3, 2), (3, 2))
    let attempts: [() throws -> FrameArray] = [
      { try FrameArray([], durations: []) }, { try FrameArray(two, durations: [.seconds(1)]) },
      { try FrameArray(two, each: .seconds(-1)) }, { try FrameArray(two, each: .seconds(1), loopCount: -1) },
      { try FrameArray(try bitmaps((3, 2), (2, 3)), each: .seconds(1)) },
    ]
    for attempt in attempts {
      let error = #expect(throws: ImageError.self) { try attempt() }
      #expect(error?.message.hasPrefix("These frames make no moving picture: ") == true)
    }
  }

  @Test(arguments: [-1, 2, .max, .min])
  func aFrameThatIsNotThereIsAnErrorAndTakesNoTime(index: Int) throws {
    let frames = try FrameArray(bitmaps((3, 2), (3, 2)), each: .seconds(1))
    #expect(throws: ImageError.self) { try frames.frame(at: index) }
    #expect(frames.duration(at: index) == .zero)
  }
}
