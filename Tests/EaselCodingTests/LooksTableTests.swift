import EaselCore
import EaselPixels
import Testing

@testable import EaselCoding

struct LooksTableTests {
  private let table = LooksTable(percents: [0, 5, 10, 20, 30, 40, 45, 55, 66, 80, 100])

  private func options(_ quality: Double, _ scale: QualityScale? = nil) -> EncodeOptions {
    var options = EncodeOptions(quality: quality)
    options.settings[.qualityScale] = scale
    return options
  }

  @Test func looksBecomeTheQualityOfTheLibrary() {
    for (looks, library) in [(0, 0), (0.8, 0.66), (0.85, 0.73), (1, 1), (-3, 0), (7, 1), (Double.nan, 0)] {
      #expect(table.library(options(looks)) == library, "\(looks)")
    }
    #expect(table.library(0.5, options(0.8)) == 0.4)
  }

  @Test func theScaleOfTheLibraryIsNotTranslated() {
    #expect(table.library(options(0.8, .library)) == 0.8 && table.library(options(0.8, .looks)) == 0.66)
    #expect(LooksTable.identity.library(options(0.8)) == 0.8)
  }

  @Test func keysTellTheScaleWhereItHasAnEffect() {
    func taken(_ table: LooksTable, _ options: EncodeOptions) -> EncodeOptions {
      var result = EncodeOptions()
      table.takeLooks(of: options, into: &result) { $0 }
      return result
    }
    #expect(taken(table, options(0.7)) == options(0.7, .looks))
    #expect(taken(table, options(0.7, .library)) == options(0.7, .library))
    #expect(taken(LooksTable.identity, options(0.7, .library)) == options(0.7))
    var scored = options(0.7, .library)
    scored.settings[.scoreTarget] = ScoreTarget(75)
    var expected = EncodeOptions.target(score: 75)
    expected.settings[.qualityScale] = .looks
    #expect(taken(table, scored) == expected && taken(LooksTable.identity, scored) == expected)
  }

  @Test func aCurveIsReadInBothDirections() {
    let curve = RisingCurve([(0, 10), (50, 20), (100, 90)])
    for (x, y) in [(0.0, 10.0), (25, 15), (50, 20), (75, 55), (100, 90)] {
      #expect(curve.value(at: x) == y && curve.place(of: y) == x)
    }
    #expect(curve.value(at: -5) == 10 && curve.value(at: 500) == 90 && curve.value(at: .nan) == 10)
    #expect(curve.place(of: 0) == 0 && curve.place(of: 100) == 100)
  }

  @Test func usualScoresRiseToTheBest() {
    #expect(LooksTable.usualScores.value(at: 100) > 90)
    #expect(abs(LooksTable.usualScores.value(at: 80) - ScoreTarget.usualScore) < 2)
  }
}
