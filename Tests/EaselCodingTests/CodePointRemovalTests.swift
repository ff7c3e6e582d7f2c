import EaselColor
import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselCoding

/// Encoders of formats without code points begin with `withoutCodePoints`.
struct CodePointRemovalTests {
  private let pq = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))

  private func image(_ color: ColorDescription?, profile: Data? = nil) throws -> Image {
    var image = Image(try Bitmap.noise(7, 5, .rgba16))
    image.metadata.color = color
    image.metadata.iccProfile = profile
    return image
  }

  @Test func picturesWithoutCodePointsStayAsTheyAre() throws {
    let image = try image(nil, profile: Data([1]))
    let same = try image.withoutCodePoints(work: WorkContext())
    #expect(same.bitmap == image.bitmap && same.metadata == image.metadata)
  }

  @Test(arguments: [true, false]) func picturesOfHighRangeAreToneMapped(keeps16Bits: Bool) throws {
    let image = try image(pq, profile: Data([1]))
    let made = try image.withoutCodePoints(keeps16Bits: keeps16Bits, work: WorkContext())
    #expect(try made.bitmap == image.bitmap.converted(from: pq, keeps16Bits: keeps16Bits))
    #expect(made.bitmap.format.layout == (keeps16Bits ? .rgba16 : .rgba8))
    #expect(made.metadata.color == nil && made.metadata.iccProfile == nil)
  }

  @Test func aProfileOfTheUsualRangeStays() throws {
    let image = try image(
      ColorDescription(coding: ColorDescription.Coding(primaries: 12, transfer: 13)), profile: Data([1]))
    let made = try image.withoutCodePoints(work: WorkContext())
    #expect(made.bitmap == image.bitmap && made.metadata.iccProfile == Data([1]) && made.metadata.color == nil)
  }

  @Test func framesAreConvertedOneByOne() throws {
    let frames = try (1...3).map { try Bitmap.noise(7, 5, .rgba16, seed: $0) }
    var image = try image(pq)
    image.frames = try FrameArray(frames, each: .milliseconds(70), loopCount: 4)
    let made = try #require(image.withoutCodePoints(work: WorkContext()).frames)
    #expect(made.count == 3 && made.loopCount == 4 && made.canvasSize == image.size)
    #expect(made.duration(at: 2) == .milliseconds(70) && made.memoryCost == image.frames?.memoryCost)
    for index in 0..<3 {
      let expected = try frames[index].converted(from: pq, keeps16Bits: false)
      #expect(try made.frame(at: index) == expected)
      #expect(try made.frame(at: index, work: WorkContext()) == expected)
    }
  }
}
