import EaselCore
import EaselTestPixels
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselJXL

/// What every coder promises of its format.
struct FormatTests {
  private static let contract = FormatContract(
    JXLCoder(),
    try! FormatDescription(JXLCoder.card, name: "JXL") {
      $0.exactFormats += [.rgba16, PixelFormat(.rgba16, alpha: .opaque)]
      $0.keeps = [.alpha, .hiddenColors, .orientation, .orientationOutsideEXIF, .exif, .xmp, .profile, .grayProfile]
      $0.codings = [(1, 13), (12, 13), (9, 16), (9, 18), (1, 8)].map { .init(primaries: $0.0, transfer: $0.1) }
      $0.decibels = [(0.4, 22), (0.8, 32), (1, 40)]
      var quick = EncodeOptions()
      quick.settings[.jxlEffort] = 1
      $0.large = [quick]
      $0.motion = .init(countsMilliseconds: true)
      let boxes = Array(repeating: JXLTesting.box("free"), count: 120).joined()
      var image = try Image(Bitmap.noise(12, 10, .rgba8))
      image.metadata.orientation = .right
      image.metadata.xmp = Data("<x:xmpmeta/>".utf8)
      $0.floods = [try JXLTesting.encode(image) { $0.keepsMetadata = true }.array + boxes]
    })

  @Test(arguments: contract.rules) func theFormatKeepsWhatItPromises(_ rule: FormatContract.Rule) async {
    let violations = await Self.contract.check(rule)
    #expect(violations == [])
  }

  @Test(arguments: [0, 3]) func theHeaderStatesThePlays(plays: Int) throws {
    #expect(try JXLTesting.probe(JXLTesting.encode(JXLTesting.moving(plays: plays).image)).storedLoopCount == plays)
  }

  @Test func theCoderKeepsItsContract() async throws {
    let samples = try Self.contract.samples(signature: [0..<2])
    let violations = await ImageCoderContract(JXLCoder(), samples: samples).check()
    #expect(violations == [])
  }
}
