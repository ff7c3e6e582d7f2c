import EaselColor
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

struct ImageVisualScoreTests {
  private func image(_ bitmap: Bitmap, profile: Data? = nil, color: ColorDescription? = nil) -> Image {
    var metadata = ImageMetadata(storedSize: bitmap.size, iccProfile: profile)
    metadata.color = color
    return Image(bitmap, metadata: metadata)
  }

  @Test func picturesWithoutProfilesAreTheirBitmaps() throws {
    let bitmap = try Bitmap.waves(90, 70)
    let copy = try bitmap.blurred(radius: 1)
    #expect(try image(bitmap).visualScore(of: image(copy)) == bitmap.visualScore(of: copy))
    #expect(try image(bitmap, profile: Data()).visualScore(of: image(bitmap)) == 100)
  }

  @Test func aProfileIsSeenThrough() throws {
    let wide = try Bitmap.waves(90, 70)
    let shown = try wide.converted(from: .icc(TestProfile.wideGamut))
    #expect(try image(wide, profile: TestProfile.wideGamut).visualScore(of: image(shown)) == 100)
    #expect(try image(shown).visualScore(of: image(wide, profile: TestProfile.wideGamut)) == 100)
    #expect(try image(wide).visualScore(of: image(shown)) < 80)
  }

  @Test func codePointsAreSeenThrough() throws {
    let bitmap = try Bitmap.waves(90, 70)
    let displayP3 = ColorDescription(coding: ColorDescription.Coding(primaries: 12, transfer: 13))
    let shown = try bitmap.converted(from: displayP3)
    #expect(try image(bitmap, color: displayP3).visualScore(of: image(shown)) == 100)
    #expect(try image(bitmap).visualScore(of: image(shown)) < 99)
    // A profile goes before code points, except those of high range.
    #expect(try image(bitmap, profile: TestProfile.wideGamut, color: displayP3).visualScore(of: image(shown)) < 99)
    let highRange = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    let mapped = try bitmap.converted(from: highRange)
    #expect(
      try image(bitmap, profile: TestProfile.wideGamut, color: highRange).visualScore(of: image(mapped)) == 100)
  }

  @Test func profilesOfGreyBesideAnyLayout() throws {
    let gray = try Bitmap(70, 60, .gray8) { x, y in [(3 * x + y) % 256] }
    let colors = try gray.converted(to: .opaqueRGBA8)
    let profile = TestProfile.gray18
    let shown = try colors.convertedGray(from: .icc(profile))
    #expect(try image(colors, profile: profile).visualScore(of: image(shown)) == 100)
    #expect(try image(gray, profile: profile).visualScore(of: image(shown)) > 95)
    #expect(try image(gray).visualScore(of: image(shown)) < 90)
    // A profile of three colours beside single grey values.
    let wide = try colors.converted(from: .icc(TestProfile.wideGamut))
    #expect(try image(gray, profile: TestProfile.wideGamut).visualScore(of: image(wide)) == 100)
  }

  @Test func anUnusableProfileLeavesTheColours() throws {
    let bitmap = try Bitmap.waves(40, 40)
    for profile in [Data("no profile".utf8), TestProfile.inks] {
      #expect(try image(bitmap, profile: profile).visualScore(of: image(bitmap)) == 100)
    }
  }
}
