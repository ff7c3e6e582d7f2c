import EaselCore
import FoundationEssentials
import Testing

private struct Frames: FrameSource {
  let count = 3
  let loopCount = 0
  let canvasSize = PixelSize(width: 2, height: 2)
  let memoryCost: Int

  func duration(at index: Int) -> Duration { .milliseconds(100 * (index + 1)) }
  func frame(at index: Int) throws -> Bitmap { try Bitmap(size: canvasSize, format: .rgba8) }
}

struct ImageTests {
  private let bitmap: Bitmap

  init() throws { bitmap = try Bitmap(size: PixelSize(width: 20, height: 10), format: .rgba8) }

  @Test func withoutMetadataTheBitmapsSizeIsTheStoredOne() {
    let image = Image(bitmap)
    #expect(image.metadata == ImageMetadata(storedSize: PixelSize(width: 20, height: 10)))
    #expect(image.size == bitmap.size)
    #expect(image.format == nil && image.frames == nil && image.traits == [] && image.scaleFactor == 1)
  }

  @Test func aChangedCopyLeavesTheOtherAsItWas() throws {
    let original = Image(bitmap, format: .png, traits: .thumbnail)
    let other = try Bitmap(size: PixelSize(width: 1, height: 1), format: .gray8)
    let changes: [(inout Image) -> Void] = [
      { $0.bitmap = other }, { $0.format = .gif }, { $0.metadata.orientation = .left },
      { $0.frames = Frames(memoryCost: 0) }, { $0.traits.insert(.partial) }, { $0.scaleFactor = 3 },
      { $0.bitmap.withUnsafeMutableBytes { $0[0] = 1 } },
    ]
    for change in changes {
      var copy = original
      change(&copy)
      #expect(original.bitmap == bitmap)
      #expect(original.format == .png && original.metadata.orientation == .up && !original.isAnimated)
      #expect(original.traits == .thumbnail && original.scaleFactor == 1)
    }
    var all = original
    for change in changes { change(&all) }
    #expect(all.size == other.size && all.format == .gif && all.metadata.orientation == .left && all.isAnimated)
    #expect(all.traits == [.thumbnail, .partial] && all.scaleFactor == 3)
    #expect(all.bitmap.withUnsafeBytes { $0[0] } == 1)
  }

  @Test func memoryCostCountsPixelsMetadataAndFrames() {
    var image = Image(bitmap)
    let plain = image.memoryCost
    #expect(plain == bitmap.memoryCost)
    #expect(plain >= 20 * 10 * 4)
    image.metadata.iccProfile = Data(repeating: 0, count: 1000)
    image.metadata.exif = Data(repeating: 0, count: 200)
    image.metadata.xmp = Data(repeating: 0, count: 30)
    #expect(image.memoryCost == plain + 1230)
    image.frames = Frames(memoryCost: 5_000)
    #expect(image.memoryCost == plain + 6230)
  }

  @Test func framesThatClaimToTakeNoPossibleMemoryAreNoOverflow() {
    var image = Image(bitmap)
    let plain = image.memoryCost
    image.frames = Frames(memoryCost: .min)
    #expect(image.memoryCost == plain)
    image.frames = Frames(memoryCost: .max)
    #expect(image.memoryCost > plain && image.memoryCost < 1 << 51)
  }

  @Test func theTotalDurationIsTheSumOfTheFrames() {
    #expect(Frames(memoryCost: 0).totalDuration == .milliseconds(600))
  }
}
