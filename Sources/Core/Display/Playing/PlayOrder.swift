/// Which frame comes after which.
struct PlayOrder {
  let count: Int
  var mode: PlayMode

  /// The frame that is shown at a step.
  func frame(at step: PlayStep) -> Int {
    switch mode {
    case .normal: step.step
    case .reverse: count - 1 - step.step
    case .bounce: bounced(step.step)
    case .reversedBounce: count - 1 - bounced(step.step)
    }
  }

  /// The first step of a play that shows a frame.
  func step(showing frame: Int, inPlay play: Int) -> PlayStep {
    switch mode {
    case .normal, .bounce: PlayStep(play: play, step: frame)
    case .reverse, .reversedBounce: PlayStep(play: play, step: count - 1 - frame)
    }
  }

  /// The step after another, nil when that was the last of all plays; 0 plays are endless.
  func step(after step: PlayStep, of plays: Int) -> PlayStep? {
    if step.step + 1 < stepsInPlay { return PlayStep(play: step.play, step: step.step + 1) }
    guard plays == 0 || step.play + 1 < plays else { return nil }
    // There and back ends where the next play would begin.
    return PlayStep(play: step.play + 1, step: isBouncing && count > 1 ? 1 : 0)
  }

  private var isBouncing: Bool { mode == .bounce || mode == .reversedBounce }

  private var stepsInPlay: Int { isBouncing ? 2 * count - 1 : count }

  private func bounced(_ step: Int) -> Int { step < count ? step : 2 * count - 2 - step }
}
