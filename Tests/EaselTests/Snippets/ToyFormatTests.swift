import EaselCore
import EaselTestSupport
import Testing

struct ToyFormatTests {
  static let contract: FormatContract = {
    var toys = FormatDescription("Toy", ToyImage.format)
    toys.keeps = [.orientation]
    return FormatContract(ToyCoder(), toys)
  }()

  @Test(arguments: [FormatContract.Rule.equalPicturesAreEqualFiles, .orientationComesBack])
  func theFormatKeepsWhatItPromises(_ rule: FormatContract.Rule) async {
    let violations = await Self.contract.check(rule)
    #expect(violations == [])
  }
}
