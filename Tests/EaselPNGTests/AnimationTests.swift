import EaselCore
import EaselTestPixels
import Testing

@testable import EaselPNG

struct AnimationTests {
  private typealias T = PNGTesting

  private func frames() throws -> Frames {
    let bitmaps = try (0..<5).map { try Bitmap.noise(23, 11, .rgba8, seed: UInt64($0 + 1)) }
    return Frames(bitmaps: bitmaps, durations: (0..<5).map { .milliseconds(40 + 10 * $0) }, loopCount: 3)
  }

  @Test(arguments: [
    (Duration.milliseconds(40), 40.0), (.milliseconds(65_535), 65_535), (.seconds(100), 100_000),
    (.seconds(70_000), 65_535_000), (.seconds(1) / 60, 1000.0 / 60), (.microseconds(16_700), 16.7), (.zero, 0),
  ])
  func aDelayIsTheNearestFraction(delay: Duration, milliseconds: Double) {
    let fraction = PNGAnimationWriter.fraction(of: delay)
    let stored = 1000 * Double(fraction.numerator) / Double(fraction.denominator)
    #expect(abs(stored - milliseconds) <= milliseconds * 0.0001)
  }

  @Test func aFileCutBehindItsFramesPlaysThemAll() throws {
    let bytes = try T.encode(frames().image).array
    let whole = try #require(try T.decode(ImageBytes(bytes)).frames)
    for missing in [12, 5, 1] {
      let image = try T.decode(ImageBytes(Array(bytes.dropLast(missing))))
      #expect(image.traits == [] && image.metadata.notes.count == 1 && image.frames?.count == whole.count)
      for index in 0..<whole.count { #expect(try image.frames?.frame(at: index) == whole.frame(at: index)) }
    }
    // The check sum of the last frame is missing as well.
    #expect(throws: ImageError.self) { try T.decode(ImageBytes(Array(bytes.dropLast(14)))) }
  }

  @Test func aDamagedFrameIsShownAsFarAsItGoes() throws {
    var bytes = try T.encode(frames().image).array
    // The check sum of the last frame.
    bytes[bytes.count - 13] ^= 1
    let last = try #require(try T.decode(ImageBytes(bytes)).frames)
    #expect(throws: ImageError.self) { try last.frame(at: last.count - 1) }
    let shown = try T.decode(ImageBytes(bytes)) { $0.damaged = .show }
    let frames = try #require(shown.frames)
    let late = try frames.frame(at: frames.count - 1)
    for index in 0..<frames.count { _ = try frames.frame(at: index) }
    #expect(try frames.frame(at: frames.count - 1) == late)
  }
}
