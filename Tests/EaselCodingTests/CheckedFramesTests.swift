import EaselCore
import EaselTestPixels
import Testing

@testable import EaselCoding

struct CheckedFramesTests {
  private struct Source: FrameSource {
    var count = 3
    var loopCount = 0
    var canvasSize = PixelSize(width: 2, height: 2)
    var memoryCost = 0
    var durations = [Duration.milliseconds(20)]
    var sizes = [PixelSize(width: 2, height: 2)]
    var formats = [PixelFormat.rgba8]

    func duration(at index: Int) -> Duration { durations[index % durations.count] }
    func frame(at index: Int) throws -> Bitmap {
      try Bitmap(size: sizes[index % sizes.count], format: formats[index % formats.count])
    }
  }

  private func frames(
    _ source: Source, firstFrameOnly: Bool = false, limits: Limits = Limits()
  ) throws -> CheckedFrames? {
    var options = EncodeOptions()
    options.firstFrameOnly = firstFrameOnly
    let image = Image(try Bitmap(size: source.canvasSize, format: .rgba8), frames: source)
    return try CheckedFrames(
      of: image, size: image.size, name: "Test", options: options, work: WorkContext(limits: limits))
  }

  private func message(_ body: () throws -> Void) -> String? {
    let error = #expect(throws: ImageError.self, performing: body)
    #expect(error?.code == .encodeFailed)
    return error?.message
  }

  @Test(arguments: [0, -1, .min])
  func aMovingPictureNeedsAFrame(count: Int) {
    #expect(message { _ = try frames(Source(count: count)) }?.contains("claims \(count) frames") == true)
  }

  @Test func whatDoesNotMoveHasNoFramesToWrite() throws {
    #expect(try frames(Source(count: 1)) == nil)
    #expect(try frames(Source(count: -1), firstFrameOnly: true) == nil)
  }

  @Test func pagesAreWrittenOnlyWhereTheFormatHasThem() throws {
    let pages = Source(durations: [.zero])
    #expect(try frames(pages) == nil)
    let image = Image(try Bitmap(size: pages.canvasSize, format: .rgba8), frames: pages)
    let written = try CheckedFrames(
      of: image, size: image.size, name: "Test", writesPages: true, options: EncodeOptions(), work: WorkContext())
    #expect(written?.count == 3)
    #expect(try frames(Source(durations: [.zero, .milliseconds(20)]))?.count == 3)
  }

  @Test(arguments: [-1, .min])
  func noPictureIsPlayedLessThanNeverOften(loopCount: Int) {
    #expect(message { _ = try frames(Source(loopCount: loopCount)) }?.contains("claims \(loopCount) plays") == true)
  }

  @Test func noFrameIsShownForLessThanNoTime() throws {
    let checked = try #require(try frames(Source(durations: [.seconds(1), .seconds(-1), .seconds(Int64.max)])))
    #expect(try checked.duration(at: 0) == .seconds(1))
    #expect(message { _ = try checked.duration(at: 1) }?.contains("shows frame 1 for") == true)
    #expect(try checked.duration(at: 2) == .seconds(1_000_000_000))
  }

  @Test func aFrameHasTheSizeOfTheCanvas() throws {
    let sizes = [PixelSize(width: 2, height: 2), PixelSize(width: 2, height: 3)]
    let checked = try #require(try frames(Source(sizes: sizes)))
    #expect(try checked.frame(at: 0).size == sizes[0])
    #expect(message { _ = try checked.frame(at: 1) }?.contains("canvas of 2x2, but its frame 1 is 2x3") == true)
  }

  @Test func aWriterGetsWholeMillisecondsThatAddUp() throws {
    let durations = [Duration.microseconds(1_400), .microseconds(1_400), .microseconds(200), .zero]
    let checked = try #require(try frames(Source(count: 4, durations: durations)))
    var added: [(size: PixelSize, milliseconds: Int, isLast: Bool)] = []
    let half = PixelSize(width: 1, height: 1)
    let needed = try checked.add(in: PixelFormat.rgba8.stored, at: half) { frame, milliseconds, isLast in
      added.append((frame.size, milliseconds, isLast))
    }
    #expect(needed == nil)
    #expect(added.map(\.size) == Array(repeating: half, count: 4))
    // The last two end at the same millisecond as the one before them, and are shown for one nevertheless.
    #expect(added.map(\.milliseconds) == [1, 2, 1, 1])
    #expect(added.map(\.isLast) == [false, false, false, true])
  }

  @Test func aWriterIsToldWhichFormatALaterFrameNeeds() throws {
    let gray = PixelFormat(.gray8, alpha: .opaque)
    let formats = [gray, PixelFormat(.bgra8, alpha: .opaque), PixelFormat(.rgba16, alpha: .premultiplied)]
    let checked = try #require(try frames(Source(formats: formats)))
    func tried(in format: PixelFormat) throws -> (frames: Int, needed: PixelFormat?) {
      var count = 0
      let needed = try checked.add(in: format, at: PixelSize(width: 2, height: 2)) { _, _, _ in count += 1 }
      return (count, needed)
    }
    #expect(try tried(in: gray) == (1, PixelFormat(.rgba8, alpha: .opaque)))
    #expect(try tried(in: PixelFormat(.rgba8, alpha: .opaque)) == (2, PixelFormat(.rgba16, alpha: .straight)))
    #expect(try tried(in: PixelFormat(.rgba16, alpha: .straight)) == (3, nil))
  }

  @Test func limitsBindWhatIsWritten() {
    let error = #expect(throws: ImageError.self) { try frames(Source(count: .max)) }
    #expect(error?.code == .limitExceeded)
  }
}
