import EaselCore
import EaselPixels
import Testing

struct ScoreTargetTests {
  @Test(arguments: [
    (ScoreTarget(75), "75"), (ScoreTarget(72.5), "72.5"), (ScoreTarget(75, tolerance: 0.5), "75/0.5"),
    (ScoreTarget(75, qualities: 0.3...0.9), "75/1/0.3-0.9"), (ScoreTarget(), "80"), (ScoreTarget(0), "0"),
    (ScoreTarget(100, tolerance: 2, qualities: 0...1), "100/2/0-1"),
  ])
  func theTextIsReadBack(_ target: ScoreTarget, _ text: String) {
    #expect(target.description == text && ScoreTarget(text) == target)
    var options = EncodeOptions()
    options.settings[.scoreTarget] = target
    #expect(options.settings[.scoreTarget] == target)
  }

  @Test(arguments: [
    "", "x", "nan", "-1", "101", "inf", "75/", "75/0", "75/1/", "75/1/0.3", "75/1/0.9-0.3", "75/1/0-2", "75/1/-0.1-1",
    "75/1/0-1/4", "75/nan", "75/1/nan-1",
  ])
  func whatIsNoTargetIsRefused(_ text: String) {
    #expect(ScoreTarget(text) == nil)
  }

  @Test func valuesOutOfTheirRangesAreBroughtIntoThem() {
    #expect(ScoreTarget(-5) == ScoreTarget(0) && ScoreTarget(400) == ScoreTarget(100) && ScoreTarget(.nan).score == 0)
    #expect(ScoreTarget(80, tolerance: 0) == ScoreTarget(80, tolerance: 0.1))
    #expect(ScoreTarget(80, qualities: -1...7) == ScoreTarget(80, qualities: 0...1))
    #expect(ScoreTarget(80, qualities: 3...7).qualities == 1...1)
    // Equal texts mean equal targets.
    #expect(ScoreTarget(75.0001) == ScoreTarget(75))
  }

  @Test func aTargetIsASetting() {
    #expect(EncodeOptions.target(score: 75).settings[.scoreTarget] == ScoreTarget(75))
    #expect(EncodeOptions().settings[.scoreTarget] == nil && EncodeOptions().settings[.qualityScale] == nil)
  }

  @Test func scalesAreReadBack() {
    for scale in QualityScale.allCases {
      var settings = EncodeOptions.Settings()
      settings[.qualityScale] = scale
      #expect(settings[.qualityScale] == scale)
    }
  }
}
