import EaselCore
import FoundationEssentials
import Testing

@testable import EaselCoding

struct StoredColorsTests {
  private let profile = Data([1, 2, 3])

  private func stored(_ profile: Data?, _ coding: ColorDescription.Coding?) -> (
    profile: Data?, coding: ColorDescription.Coding?
  ) {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 1, height: 1))
    metadata.iccProfile = profile
    metadata.color = coding.map { ColorDescription(coding: $0) }
    return metadata.storedColors
  }

  @Test func aProfileGoesBeforeCodePoints() {
    #expect(stored(profile, .sRGB) == (profile, nil))
    #expect(stored(profile, nil) == (profile, nil))
  }

  @Test func codePointsAreStoredWithoutAProfile() {
    #expect(stored(nil, .sRGB) == (nil, .sRGB))
    #expect(stored(Data(), .sRGB) == (nil, .sRGB))
    #expect(stored(nil, nil) == (nil, nil))
  }

  @Test func codePointsOfHighRangeGoBeforeAProfile() {
    let bright = ColorDescription.Coding(primaries: 9, transfer: 16)
    #expect(stored(profile, bright) == (nil, bright))
  }
}
