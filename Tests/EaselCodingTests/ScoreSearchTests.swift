import EaselPixels
import Testing

@testable import EaselCoding

/// The search for a quality, with encoders whose scores are known.
struct ScoreSearchTests {
  private static let usual = RisingCurve([(0, 0), (50, 60), (80, 80), (100, 98)])

  /// The score of a picture that loses so much more than usual.
  private func score(_ percent: Int, loss: Double) -> Double {
    100 - (100 - Self.usual.value(at: Double(percent))) * loss
  }

  private func search(
    _ target: ScoreTarget, _ score: (Int) -> Double
  ) -> (outcome: ScoreSearch.Outcome<Int>, tried: [Int]) {
    var tried: [Int] = []
    let outcome = ScoreSearch(target, usual: Self.usual).best { percent in
      tried.append(percent)
      return (percent, score(percent))
    }
    return (outcome, tried)
  }

  @Test func aUsualPictureIsEncodedOnce() {
    let (outcome, tried) = search(ScoreTarget(80)) { score($0, loss: 1) }
    #expect(tried == [80] && outcome.result == 80 && outcome.percent == 80 && outcome.score == 80)
    #expect(outcome.attempts == 1)
  }

  @Test(arguments: [60.0, 70, 75, 80, 85, 90], [0.5, 0.7, 0.9, 1.1, 1.4, 1.8])
  func anUnexpectedLossTakesTwoAttempts(target: Double, loss: Double) {
    let (outcome, tried) = search(ScoreTarget(target)) { score($0, loss: loss) }
    #expect(abs(outcome.score - target) <= 1 && outcome.attempts <= 2, "\(tried)")
  }

  @Test func picturesWhoseScoresFollowAnotherCurveEndSoon() {
    let steep = RisingCurve([(0, -50), (60, 40), (90, 75), (95, 90), (100, 99)])
    let flat = RisingCurve([(0, 50), (30, 72), (90, 84), (100, 90)])
    for curve in [steep, flat] {
      for target in stride(from: 60.0, through: 88, by: 4) {
        let (outcome, tried) = search(ScoreTarget(target)) { curve.value(at: Double($0)) }
        #expect(tried.count <= ScoreSearch.mostAttempts && tried.count == outcome.attempts)
        #expect(Set(tried).count == tried.count, "No quality is tried twice: \(tried).")
        // A step of one per cent is up to three points on the steep curve.
        #expect(abs(outcome.score - target) <= 1.6, "\(target): \(tried)")
      }
    }
  }

  @Test func noiseInTheScoresNeitherTrapsNorRepeats() {
    for seed in 0..<200 {
      func noisy(_ percent: Int) -> Double {
        score(percent, loss: 0.5 + Double(seed % 20) / 10) + Double((percent * 7919 + seed * 104_729) % 100) / 25 - 2
      }
      let (outcome, tried) = search(ScoreTarget(75, tolerance: 0.1)) { noisy($0) }
      #expect(tried.count <= ScoreSearch.mostAttempts && Set(tried).count == tried.count)
      let nearest = tried.map { abs(noisy($0) - 75) }.min()
      #expect(abs(outcome.score - 75) == nearest && outcome.score == noisy(outcome.percent))
    }
  }

  @Test func aScoreOutOfReachGivesTheNearest() {
    let (high, triedHigh) = search(ScoreTarget(100)) { score($0, loss: 1.5) }
    #expect(high.percent == 100 && triedHigh.last == 100)
    let (low, _) = search(ScoreTarget(0, qualities: 0.3...1)) { score($0, loss: 1) }
    #expect(low.percent == 30)
  }

  @Test func qualitiesStayWithinTheirBounds() {
    let target = ScoreTarget(85, qualities: 0.4...0.7)
    let (outcome, tried) = search(target) { score($0, loss: 1.2) }
    #expect(tried.allSatisfy { (40...70).contains($0) } && outcome.percent == 70)
    let (only, once) = search(ScoreTarget(85, qualities: 0.5...0.5)) { score($0, loss: 1) }
    #expect(only.percent == 50 && once == [50])
  }

  @Test func aScoreThatIsNoNumberEndsTheSearch() {
    let (_, tried) = search(ScoreTarget(80)) { _ in .nan }
    #expect(tried.count <= ScoreSearch.mostAttempts)
  }

  @Test func anErrorOfTheEncoderEndsTheSearch() {
    struct Broken: Error {}
    #expect(throws: Broken.self) {
      _ = try ScoreSearch(ScoreTarget(80), usual: Self.usual).best { _ -> (Int, Double) in throw Broken() }
    }
  }
}
