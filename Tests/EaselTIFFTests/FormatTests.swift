import EaselCore
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselTIFF

/// What every coder promises of its format.
struct FormatTests {
  private static let contract = FormatContract(
    TIFFCoder(),
    FormatDescription(TIFFCoder.card, name: "TIFF") {
      func way(_ compression: TIFFCompression, predicts: Bool = true) -> EncodeOptions {
        var options = EncodeOptions()
        options.settings[.tiffCompression] = compression
        options.settings[.tiffPredictor] = predicts
        return options
      }
      $0.lossless = TIFFCompression.allCases.flatMap { [way($0), way($0, predicts: false)] }
      $0.damagedWays = TIFFCompression.allCases.map { way($0) }
      $0.exactFormats += [.rgba16, PixelFormat(.rgba16, alpha: .opaque)]
      $0.sizes = [PixelSize(width: 1500, height: 200)]
      $0.keeps = [.alpha, .hiddenColors, .orientation, .xmp, .density, .anyProfile, .profile]
      $0.large = [EncodeOptions()]
      $0.motion = .init(isPages: true, statesCount: false)
      var page = HandmadeTIFF.Page.gray(4, 4)
      page.tags = (40_001...40_110).map { ($0, 4, [7]) }
      $0.floods = [HandmadeTIFF(page).bytes]
    })

  @Test(arguments: contract.rules) func theFormatKeepsWhatItPromises(_ rule: FormatContract.Rule) async {
    let violations = await Self.contract.check(rule)
    #expect(violations == [])
  }
}
