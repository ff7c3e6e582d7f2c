import EaselCore
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselAVIF

/// What every coder promises of its format.
struct FormatTests {
  private static let contract = FormatContract(
    AVIFCoder(),
    try! FormatDescription(AVIFCoder.card, name: "AVIF") {
      $0.lossless = [EncodeOptions(lossless: true)]
      $0.keeps = [
        .alpha, .hiddenColors, .orientation, .orientationOutsideEXIF, .exif, .xmp, .anyProfile, .profile, .grayProfile,
      ]
      $0.codings = [(1, 13), (12, 13), (9, 16), (9, 18), (2, 16)].map { .init(primaries: $0.0, transfer: $0.1) }
      $0.decibels = [(0.3, 27), (0.8, 34), (1, 40)]
      $0.thumbnailDecibels = 43
      var quick = EncodeOptions()
      quick.settings[.avifSpeed] = 10
      $0.large = [quick]
      $0.motion = .init(countsMilliseconds: true, smallDecibels: 40)
      let boxes = Array(repeating: AVIFTesting.box("free"), count: 120).joined()
      $0.floods = [try AVIFTesting.encode(Image(.noise(12, 10, .rgba8))).array + boxes]
    })

  @Test(arguments: contract.rules) func theFormatKeepsWhatItPromises(_ rule: FormatContract.Rule) async {
    let violations = await Self.contract.check(rule)
    #expect(violations == [])
  }

  @Test func theCoderKeepsItsContract() async throws {
    let samples = try Self.contract.samples(signature: [4..<8])
    let violations = await ImageCoderContract(AVIFCoder(), samples: samples).check()
    #expect(violations == [])
  }
}
