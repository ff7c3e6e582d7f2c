import EaselCore

/// The current frame of a player, its remaining time, and the next frame.
///
/// It gets the time from its caller only.
struct PlaybackState {
  /// The next action of a player.
  enum Turn: Hashable {
    case over
    case held
    case later(Duration)
    case now(PlaybackStep)
  }

  var rate = 1.0
  var loopCount: Int?
  var mode: ImagePlayer.Mode {
    get { order.mode }
    set {
      let frame = shownFrame
      order.mode = newValue
      if let frame, let shown { self.shown = order.step(presenter: frame, inPlay: shown.play) }
    }
  }

  private let source: any FrameSource
  private var order: PlaybackOrder
  private var shown: PlaybackStep?
  private var sought: PlaybackStep?
  /// The remaining time of the current frame at rate 1; negative when the next one is late.
  private var left = Duration.zero
  private var lastTime: Duration

  init(of source: any FrameSource, from time: Duration) {
    self.source = source
    order = PlaybackOrder(count: source.count, mode: .normal)
    lastTime = time
  }

  var shownFrame: Int? { shown.map(order.frame) }
  var finishedPlays: Int { shown?.play ?? 0 }

  func frame(at step: PlaybackStep) -> Int { order.frame(at: step) }

  /// Advances to `time`.
  ///
  /// The time that has passed counts as shown unless the frame is held.
  mutating func pass(to time: Duration, isHeld: Bool) {
    if !isHeld && shown != nil { left -= (time - lastTime) * rate }
    lastTime = time
  }

  func turn(isHeld: Bool) -> Turn {
    // A source without frames has nothing to play, whatever its other properties say.
    guard order.count > 0 else { return .over }
    if let sought { return .now(sought) }
    guard let shown else { return .now(PlaybackStep(play: 0, step: 0)) }
    if isHeld || rate == 0 { return .held }
    // A frame without duration is a page, which stays until another is sought.
    if source.duration(at: order.frame(at: shown)) == .zero { return .held }
    // The divisor is bounded, so that even a hundred years give a time that fits into a Duration.
    if left > .zero { return .later(left / max(rate, 1e-6)) }
    return next(after: shown).map(Turn.now) ?? .over
  }

  /// Makes a step the current one.
  ///
  /// A short delay is taken off the frame's time, so that delays do not add up. A long delay is not made up for.
  mutating func show(_ step: PlaybackStep) {
    let duration = source.duration(at: order.frame(at: step)).bounded
    let isInOrder = sought == nil && shown != nil
    let lateness = isInOrder ? .zero - left : .zero
    left = lateness < duration / 2 ? duration - lateness : duration
    shown = step
    sought = nil
  }

  mutating func seek(to frame: Int, finishedPlays: Int?) {
    // Bounded, so that counting further plays cannot overflow.
    let play = min(max(0, finishedPlays ?? shown?.play ?? 0), 1 << 62)
    sought = order.step(presenter: frame, inPlay: play)
  }

  mutating func rewind() {
    shown = nil
    sought = nil
  }

  /// The frames after the current one, nearest first, each listed once.
  func upcoming(atMost count: Int) -> [Int] {
    var frames: [Int] = []
    var step = shown.flatMap(next)
    // A play forward and back shows frames twice, so the search may have to cover the whole play.
    var walked = 0
    while let now = step, frames.count < count, walked < 2 * order.count {
      let frame = order.frame(at: now)
      if !frames.contains(frame) { frames.append(frame) }
      step = next(after: now)
      walked += 1
    }
    return frames
  }

  private func next(after step: PlaybackStep) -> PlaybackStep? {
    order.step(after: step, of: max(0, loopCount ?? source.loopCount))
  }
}

/// Maps the steps of a play to frames.
struct PlaybackOrder {
  let count: Int
  var mode: ImagePlayer.Mode

  /// The frame shown at a step.
  func frame(at step: PlaybackStep) -> Int {
    switch mode {
    case .normal: step.step
    case .reverse: count - 1 - step.step
    case .bounce: bounced(step.step)
    case .reversedBounce: count - 1 - bounced(step.step)
    }
  }

  /// The first step of a play that shows the given frame.
  func step(presenter frame: Int, inPlay play: Int) -> PlaybackStep {
    switch mode {
    case .normal, .bounce: PlaybackStep(play: play, step: frame)
    case .reverse, .reversedBounce: PlaybackStep(play: play, step: count - 1 - frame)
    }
  }

  /// The step after another; nil after the last step of the last play.
  ///
  /// 0 plays mean forever.
  func step(after step: PlaybackStep, of plays: Int) -> PlaybackStep? {
    if step.step + 1 < stepsInPlay { return PlaybackStep(play: step.play, step: step.step + 1) }
    guard plays == 0 || step.play + 1 < plays else { return nil }
    // A play forward and back ends on the frame with which the next play would begin.
    return PlaybackStep(play: step.play + 1, step: isBouncing && count > 1 ? 1 : 0)
  }

  private var isBouncing: Bool { mode == .bounce || mode == .reversedBounce }

  private var stepsInPlay: Int { isBouncing ? 2 * count - 1 : count }

  private func bounced(_ step: Int) -> Int { step < count ? step : 2 * count - 2 - step }
}

extension ImagePlayer {
  /// The order in which the frames of a moving picture are shown.
  public enum Mode: Hashable, Sendable {
    /// From the first frame to the last.
    case normal
    /// From the last frame to the first.
    case reverse
    /// From the first frame to the last and back, as one play; no frame is shown twice in a row.
    case bounce
    /// From the last frame to the first and back, as one play; no frame is shown twice in a row.
    case reversedBounce
  }
}

/// The position of a player: the number of the play, and the step within it.
struct PlaybackStep: Hashable {
  var play: Int
  var step: Int
}
