/// What is shown, for how long still, and what comes next; it knows the time only from what it is told.
struct PlayCourse {
  /// What a player does next.
  enum Turn: Hashable {
    case over
    case held
    case later(Duration)
    case now(PlayStep)
  }

  var rate = 1.0
  var loopCount: Int?
  var mode: PlayMode {
    get { order.mode }
    set {
      let frame = shownFrame
      order.mode = newValue
      if let frame, let shown { self.shown = order.step(showing: frame, inPlay: shown.play) }
    }
  }

  private let source: any FrameSource
  private var order: PlayOrder
  private var shown: PlayStep?
  private var sought: PlayStep?
  /// How long the shown frame still has to stand at rate 1; negative when the next one is late.
  private var left = Duration.zero
  private var lastTime: Duration

  init(of source: any FrameSource, from time: Duration) {
    self.source = source
    order = PlayOrder(count: source.count, mode: .normal)
    lastTime = time
  }

  var shownFrame: Int? { shown.map(order.frame) }
  var finishedPlays: Int { shown?.play ?? 0 }

  func frame(at step: PlayStep) -> Int { order.frame(at: step) }

  /// Counts the time until now as shown.
  mutating func pass(to time: Duration, isHeld: Bool) {
    if !isHeld && shown != nil { left -= (time - lastTime) * rate }
    lastTime = time
  }

  func turn(isHeld: Bool) -> Turn {
    // A source that has no frame has nothing to play, whatever it promised.
    guard order.count > 0 else { return .over }
    if let sought { return .now(sought) }
    guard let shown else { return .now(PlayStep(play: 0, step: 0)) }
    if isHeld || rate == 0 { return .held }
    // A hundred years at this pace are a time that can still be told.
    if left > .zero { return .later(left / max(rate, 1e-6)) }
    return next(after: shown).map(Turn.now) ?? .over
  }

  /// Takes a step as shown from now on.
  ///
  /// A little lateness is taken off its time, so that small ones do not add up; after a great one the pace is kept.
  mutating func show(_ step: PlayStep) {
    let duration = source.duration(at: order.frame(at: step)).bounded
    let isInOrder = sought == nil && shown != nil
    let lateness = isInOrder ? .zero - left : .zero
    left = lateness < duration / 2 ? duration - lateness : duration
    shown = step
    sought = nil
  }

  mutating func seek(to frame: Int, finishedPlays: Int?) {
    // Plays are counted on from here, and none after them may overflow.
    let play = min(max(0, finishedPlays ?? shown?.play ?? 0), 1 << 62)
    sought = order.step(showing: frame, inPlay: play)
  }

  mutating func rewind() {
    shown = nil
    sought = nil
  }

  /// The frames that come after the shown one, nearest first, each once.
  func upcoming(atMost count: Int) -> [Int] {
    var frames: [Int] = []
    var step = shown.flatMap(next)
    // There and back, frames come twice: the walk may have to be as long as a whole play.
    var walked = 0
    while let now = step, frames.count < count, walked < 2 * order.count {
      let frame = order.frame(at: now)
      if !frames.contains(frame) { frames.append(frame) }
      step = next(after: now)
      walked += 1
    }
    return frames
  }

  private func next(after step: PlayStep) -> PlayStep? {
    order.step(after: step, of: max(0, loopCount ?? source.loopCount))
  }
}
