/// Maps the steps of a play to frames.
struct PlayOrder {
  let count: Int
  var mode: PlayMode

  /// The frame shown at a step.
  func frame(at step: PlayStep) -> Int {
    switch mode {
    case .normal: step.step
    case .reverse: count - 1 - step.step
    case .bounce: bounced(step.step)
    case .reversedBounce: count - 1 - bounced(step.step)
    }
  }

  /// The first step of a play that shows the given frame.
  func step(showing frame: Int, inPlay play: Int) -> PlayStep {
    switch mode {
    case .normal, .bounce: PlayStep(play: play, step: frame)
    case .reverse, .reversedBounce: PlayStep(play: play, step: count - 1 - frame)
    }
  }

  /// The step after another; nil after the last step of the last play.
  ///
  /// 0 plays mean forever.
  func step(after step: PlayStep, of plays: Int) -> PlayStep? {
    if step.step + 1 < stepsInPlay { return PlayStep(play: step.play, step: step.step + 1) }
    guard plays == 0 || step.play + 1 < plays else { return nil }
    // A play there and back ends on the frame with which the next play would begin.
    return PlayStep(play: step.play + 1, step: isBouncing && count > 1 ? 1 : 0)
  }

  private var isBouncing: Bool { mode == .bounce || mode == .reversedBounce }

  private var stepsInPlay: Int { isBouncing ? 2 * count - 1 : count }

  private func bounced(_ step: Int) -> Int { step < count ? step : 2 * count - 2 - step }
}
