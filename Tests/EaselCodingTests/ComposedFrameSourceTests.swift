import EaselCore
import EaselPixels
import EaselSupport
import EaselTestPixels
import Testing

@testable import EaselCoding

struct ComposedFrameSourceTests {
  /// Frames of one pixel on a canvas of two pixels, none of which hides earlier frames; calls are counted.
  private struct CountedFrames: StoredFrames {
    let count: Int
    let asked = Locked(0)
    let drawn = Locked(0)

    var restoresBefore: Bool { false }
    var canvasSize: PixelSize { PixelSize(width: 2, height: 1) }
    var canvasFormat: PixelFormat { .rgba8 }
    var loopCount: Int { 0 }
    var memoryCost: Int { 0 }

    func frame(at index: Int) -> StoredFrame {
      asked.withLock { $0 += 1 }
      return StoredFrame(
        rect: PixelRect(x: index % 2, y: 0, width: 1, height: 1), delay: .milliseconds(20), disposal: .keep,
        isBlended: false, hasAlpha: false)
    }

    func draw(_ index: Int, on canvas: inout Bitmap, work: WorkContext) throws(ImageError) {
      drawn.withLock { $0 += 1 }
      canvas.fill(
        PixelColor(red: UInt8(index % 256), green: 0, blue: 0),
        in: PixelRect(x: index % 2, y: 0, width: 1, height: 1))
    }
  }

  private func source(_ frames: CountedFrames) -> ComposedFrameSource {
    let header = ImageHeader(format: .gif, storedSize: frames.canvasSize)
    return ComposedFrameSource(
      frames, finish: ImageFinish(header, profile: nil, isGray: false, options: DecodeOptions()), name: "Test",
      work: WorkContext())
  }

  @Test func playingInOrderAsksAboutEachFrameAFewTimes() throws {
    let frames = CountedFrames(count: 3000)
    let source = source(frames)
    for index in 0..<3000 { _ = try source.frame(at: index) }
    #expect(frames.drawn.withLock { $0 } == 3000)
    #expect(frames.asked.withLock { $0 } < 3000 * 8)
    #expect(try source.frame(at: 2999).components(0, 0) == [2998 % 256, 0, 0, 255])
  }

  @Test func goingBackDrawsFromTheStart() throws {
    let frames = CountedFrames(count: 10)
    let source = source(frames)
    _ = try source.frame(at: 7)
    _ = try source.frame(at: 3)
    #expect(frames.drawn.withLock { $0 } == 12)
    #expect(try source.frame(at: 3).components(1, 0) == [3, 0, 0, 255])
    #expect(frames.drawn.withLock { $0 } == 12)
  }

  @Test(arguments: [-1, 10, .max, .min])
  func aFrameThatIsNotThereIsAnErrorAndTakesNoTime(index: Int) {
    let source = source(CountedFrames(count: 10))
    #expect(throws: ImageError.self) { try source.frame(at: index) }
    #expect(source.duration(at: index) == .zero)
  }
}
