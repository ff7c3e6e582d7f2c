import CEaselColorFixtures
import EaselColor
import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselCoding

/// Encoders of red, green and blue begin with `withoutGrayProfile`.
struct GrayProfileRemovalTests {
  private static let gray = PixelFormat(.gray8, alpha: .opaque)

  private func image(_ format: PixelFormat, gray: Bool = true) throws -> Image {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count =
      gray
      ? easel_make_icc_profile(nil, 1, &bytes, bytes.count)
      : easel_make_icc_profile([0.64, 0.33, 0.3, 0.6, 0.15, 0.06], 1, &bytes, bytes.count)
    var image = Image(try Bitmap(4, 3, PixelColor(red: 128, green: 128, blue: 128), format))
    image.metadata.iccProfile = Data(bytes[..<count])
    return image
  }

  @Test(arguments: [PixelFormat.rgba8, .opaqueRGBA8, .rgba16, gray])
  func greyValuesBecomeColoursOfSRGB(format: PixelFormat) throws {
    let made = try image(format).withoutGrayProfile(work: WorkContext())
    let top = format.layout == .rgba16 ? 257 : 1
    #expect(abs(made.bitmap.components(1, 1)[0] - 188 * top) <= top)
    #expect(made.metadata.iccProfile == nil && made.bitmap.format.layout == (top == 1 ? .rgba8 : .rgba16))
  }

  @Test func framesAreConvertedToo() throws {
    var image = try image(.opaqueRGBA8)
    image.frames = try FrameArray([image.bitmap, image.bitmap], each: .milliseconds(70))
    let frames = try #require(image.withoutGrayProfile(keepsGray: true, work: WorkContext()).frames)
    #expect(try abs(frames.frame(at: 1).components(0, 0)[0] - 188) <= 1)
  }

  @Test func whatNeedsNoConversionStays() throws {
    let colors = try image(.rgba8, gray: false)
    #expect(try colors.withoutGrayProfile(work: WorkContext()).metadata == colors.metadata)
    let gray = try image(Self.gray)
    #expect(try gray.withoutGrayProfile(keepsGray: true, work: WorkContext()).bitmap == gray.bitmap)
    var bright = try image(.rgba16)
    bright.metadata.color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    #expect(try bright.withoutGrayProfile(work: WorkContext()).metadata == bright.metadata)
  }

  @Test func aProfileThatCannotBeUsedIsTakenAway() throws {
    var image = try image(.rgba8)
    image.metadata.iccProfile = image.metadata.iccProfile.map { $0.prefix(40) }
    let made = try image.withoutGrayProfile(work: WorkContext())
    #expect(made.bitmap == image.bitmap && made.metadata.iccProfile == nil)
  }
}
