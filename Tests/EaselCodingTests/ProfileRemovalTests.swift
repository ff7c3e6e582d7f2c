import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselCoding

/// Encoders of formats that hold no profile begin with `withoutProfile`.
struct ProfileRemovalTests {
  private func image(_ format: PixelFormat, _ profile: Data?) throws -> Image {
    var image = Image(try Bitmap(4, 3, PixelColor(red: 128, green: 128, blue: 128), format))
    image.metadata.iccProfile = profile
    return image
  }

  @Test(arguments: [PixelFormat.rgba8, .opaqueRGBA8, .rgba16, .gray8], [LinearProfile.colors, LinearProfile.gray])
  func coloursOfAProfileBecomeThoseOfSRGB(format: PixelFormat, profile: Data) throws {
    let made = try image(format, profile).withoutProfile(work: WorkContext())
    let top = format.layout == .rgba16 ? 257 : 1
    #expect(abs(made.bitmap.components(1, 1)[0] - 188 * top) <= top)
    #expect(made.metadata.iccProfile == nil && made.bitmap.format.layout == (top == 1 ? .rgba8 : .rgba16))
  }

  @Test func framesAreConvertedToo() throws {
    var image = try image(.opaqueRGBA8, LinearProfile.colors)
    image.frames = try FrameArray([image.bitmap, image.bitmap], each: .milliseconds(70))
    let frames = try #require(image.withoutProfile(work: WorkContext()).frames)
    #expect(try abs(frames.frame(at: 1).components(0, 0)[0] - 188) <= 1)
  }

  @Test(arguments: [nil, Data(), Data([1, 2, 3])]) func withoutAUsableProfileColoursStay(profile: Data?) throws {
    let image = try image(.rgba8, profile)
    let made = try image.withoutProfile(work: WorkContext())
    #expect(made.bitmap == image.bitmap && made.metadata.iccProfile == nil)
  }

  @Test func codePointsAreConvertedToo() throws {
    var image = try image(.rgba16, nil)
    image.metadata.color = ColorDescription(coding: ColorDescription.Coding(primaries: 1, transfer: 8))
    let made = try image.withoutProfile(work: WorkContext())
    #expect(abs(made.bitmap.components(1, 1)[0] - 188) <= 1 && made.metadata.color == nil)
  }
}
