import EaselPixels

/// Finds the quality at which a file has a score, with few attempts.
///
/// The first attempt is at the quality where a usual picture has the score. The score that comes out tells how much this
/// one loses, and so where to look next. An estimate before the first attempt, by edges and gradients, saved one attempt
/// in 25 pictures.
package struct ScoreSearch: Sendable {
  private let target: ScoreTarget
  /// The usual scores by the quality in per cent.
  private let usual: RisingCurve

  /// The most attempts, of which the last ones are for pictures on which the score does not follow the quality.
  package static let mostAttempts = 5

  package init(_ target: ScoreTarget, usual: RisingCurve = LooksTable.usualScores) {
    (self.target, self.usual) = (target, usual)
  }

  /// The end of a search.
  package struct Outcome<Result> {
    package let result: Result
    /// The quality in whole per cent.
    package let percent: Int
    package let score: Double
    package let attempts: Int
  }

  /// The attempt that comes nearest to the score; the search ends with one that is near enough.
  ///
  /// `attempt` is called with a quality in per cent, and returns a result with its score.
  package func best<Result>(
    _ attempt: (_ percent: Int) throws -> (result: Result, score: Double)
  ) rethrows -> Outcome<Result> {
    var bounds = Bounds(least: percent(target.qualities.lowerBound), most: percent(target.qualities.upperBound))
    var next = bounds.clamped(percent(forLoss: 1))
    var best: (result: Result, percent: Int, score: Double)?
    var attempts = 0
    while true {
      let made = try attempt(next)
      attempts += 1
      if best.map({ abs(made.score - target.score) < abs($0.score - target.score) }) ?? true {
        best = (made.result, next, made.score)
      }
      bounds.note(made.score, at: next, target.score)
      guard abs(made.score - target.score) > target.tolerance, attempts < Self.mostAttempts, !bounds.isEmpty else {
        return Outcome(result: best!.result, percent: best!.percent, score: best!.score, attempts: attempts)
      }
      next = bounds.between(target.score) ?? bounds.clamped(percent(forLoss: loss(of: made.score, at: next)))
    }
  }

  private func percent(_ quality: Double) -> Int { Int((quality * 100).rounded()) }

  /// The quality at which a picture has the score if it loses so much.
  private func percent(forLoss loss: Double) -> Int {
    Int(usual.place(of: 100 - (100 - target.score) / max(loss, 0.01)).rounded())
  }

  /// What a picture with this score loses, in parts of what is usual.
  private func loss(of score: Double, at percent: Int) -> Double {
    (100 - score) / max(0.1, 100 - usual.value(at: Double(percent)))
  }

  /// The qualities that are left.
  private struct Bounds {
    var least: Int
    var most: Int
    /// The nearest attempts below and above the score.
    private var below: (percent: Int, score: Double)?
    private var above: (percent: Int, score: Double)?

    init(least: Int, most: Int) { (self.least, self.most) = (least, most) }

    var isEmpty: Bool { least > most }

    func clamped(_ percent: Int) -> Int { min(most, max(least, percent)) }

    mutating func note(_ score: Double, at percent: Int, _ wanted: Double) {
      if score < wanted {
        least = percent + 1
        below = (percent, score)
      } else {
        most = percent - 1
        above = (percent, score)
      }
    }

    /// The quality on a straight line between the attempts on both sides; nil if there is none on one side.
    func between(_ wanted: Double) -> Int? {
      guard let below, let above, above.score > below.score else { return nil }
      let share = (wanted - below.score) / (above.score - below.score)
      return clamped(below.percent + Int((share * Double(above.percent - below.percent)).rounded()))
    }
  }
}
