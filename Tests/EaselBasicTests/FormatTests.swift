import EaselCore
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselBasic

/// What every coder promises of its format.
struct FormatTests {
  private static let bmp = FormatContract(
    BMPCoder(),
    FormatDescription(BMPCoder.card, name: "BMP") {
      ($0.keeps, $0.isBottomUp) = ([.alpha, .hiddenColors, .noProfile], true)
    })
  private static let pnm = FormatContract(
    PNMCoder(),
    FormatDescription(PNMCoder.card, name: "PNM") {
      $0.keeps = [.alpha, .hiddenColors, .noProfile]
      $0.exactFormats += [.rgba16, PixelFormat(.rgba16, alpha: .opaque)]
    })
  private static let qoi = FormatContract(
    QOICoder(), FormatDescription(QOICoder.card, name: "QOI") { $0.keeps = [.alpha, .hiddenColors, .noProfile] })

  @Test(arguments: bmp.rules) func bmpKeepsWhatItPromises(_ rule: FormatContract.Rule) async {
    let violations = await Self.bmp.check(rule)
    #expect(violations == [])
  }

  @Test(arguments: pnm.rules) func pnmKeepsWhatItPromises(_ rule: FormatContract.Rule) async {
    let violations = await Self.pnm.check(rule)
    #expect(violations == [])
  }

  @Test(arguments: qoi.rules) func qoiKeepsWhatItPromises(_ rule: FormatContract.Rule) async {
    let violations = await Self.qoi.check(rule)
    #expect(violations == [])
  }
}
