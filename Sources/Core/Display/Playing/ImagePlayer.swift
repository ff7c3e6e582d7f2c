/// Plays a moving picture: an asynchronous sequence of its frames, each given when it is due.
///
/// ```swift
/// for try await frame in player { view.show(frame.bitmap) }
/// ```
///
/// A frame that is late is waited for, never skipped. The sequence ends when the last frame of the last play has been
/// shown for its time, or when the task is cancelled; going through it again plays from the beginning. A player plays
/// for one loop at a time; every other property may be changed from anywhere meanwhile.
public final class ImagePlayer: AsyncSequence, Sendable {
  private struct State {
    var course: PlayCourse
    var isPaused = false
    /// What is asleep until the next frame is due, to be woken when that changes.
    var nap: Task<Void, Never>?
    /// Counts what the user changed, so that a frame that was fetched meanwhile is known to be out of date.
    var change: UInt64 = 0
  }

  // Further ahead nothing is decoded anyway, and each step of the plan is compared with all before it.
  private static let mostPlanned = 256

  private let frames: PlayedFrames
  private let clock: any ImageClock
  private let state: Locked<State>
  private let seat = PlayedFrames.Seat()

  /// Creates a player of these frames.
  ///
  /// Players of one picture share its frames; all players of one `budget` share its bytes.
  public init(_ frames: any FrameSource, budget: FrameBudget = .shared, clock: any ImageClock = SystemClock()) {
    self.frames = budget.frames(of: frames)
    self.clock = clock
    state = Locked(State(course: PlayCourse(of: frames, from: clock.uptime)))
  }

  /// Creates a player of a picture, nil when it does not move.
  public convenience init?(_ image: Image, budget: FrameBudget = .shared, clock: any ImageClock = SystemClock()) {
    guard let frames = image.frames else { return nil }
    self.init(frames, budget: budget, clock: clock)
  }

  deinit { frames.leave(seat) }

  // MARK: Control

  /// How fast the picture is played, 1 by default and 1,000 at most; zero holds the frame that is shown.
  public var rate: Double {
    get { state.withLock { $0.course.rate } }
    set { change { $0.course.rate = newValue.isFinite ? Swift.min(Swift.max(0, newValue), 1000) : 1 } }
  }

  /// The order of the frames; a change goes on from the frame that is shown.
  public var mode: PlayMode {
    get { state.withLock { $0.course.mode } }
    set { change { $0.course.mode = newValue } }
  }

  /// The number of plays instead of the picture's own, 0 for ever; nil by default.
  public var loopCount: Int? {
    get { state.withLock { $0.course.loopCount } }
    set { change { $0.course.loopCount = newValue } }
  }

  /// Whether the frame that is shown is held.
  public var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Holds the frame that is shown; its time goes on after ``resume()``.
  public func pause() { change { $0.isPaused = true } }

  /// Goes on after ``pause()``.
  public func resume() { change { $0.isPaused = false } }

  /// Goes to a frame, which is shown at once, also by a player that is paused.
  ///
  /// An index before the first frame means the first one, and one behind the last frame the last one.
  /// `finishedPlays` is how many plays count as over, nil for as many as are.
  public func seek(toFrame index: Int, finishedPlays: Int? = nil) {
    let count = frames.source.count
    guard count > 0 else { return }
    let index = Swift.min(Swift.max(0, index), count - 1)
    change { $0.course.seek(to: index, finishedPlays: finishedPlays) }
  }

  /// The index of the frame that is shown, nil before the first.
  public var currentFrame: Int? { state.withLock { $0.course.shownFrame } }

  /// The number of plays that are over.
  public var finishedPlays: Int { state.withLock { $0.course.finishedPlays } }

  private func change(_ body: (inout State) -> Void) {
    let nap = state.withLock { state in
      state.course.pass(to: clock.uptime, isHeld: state.isPaused)
      body(&state)
      state.change += 1
      return state.nap
    }
    nap?.cancel()
  }

  // MARK: Playing

  /// Steps through the frames of a player.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let player: ImagePlayer

    /// The next frame, when it is due; nil at the end.
    public mutating func next() async throws -> PlayedFrame? { try await player.nextFrame() }
  }

  /// Begins to play, or goes on.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(player: self) }

  private func nextFrame() async throws -> PlayedFrame? {
    while !Task.isCancelled {
      let (turn, seen) = state.withLock { state in
        state.course.pass(to: clock.uptime, isHeld: state.isPaused)
        return (state.course.turn(isHeld: state.isPaused), state.change)
      }
      switch turn {
      case .over:
        state.withLock { $0.course.rewind() }
        return nil
      case .held:
        await nap(for: nil, unlessChangedSince: seen)
      case .later(let time):
        await nap(for: time, unlessChangedSince: seen)
      case .now(let step):
        if let frame = try await show(step, unlessChangedSince: seen) { return frame }
      }
    }
    return nil
  }

  private func show(_ step: PlayStep, unlessChangedSince seen: UInt64) async throws -> PlayedFrame? {
    let index = state.withLock { $0.course.frame(at: step) }
    let bitmap: Bitmap
    do {
      bitmap = try await frames.frame(at: index)
    } catch  where Task.isCancelled {
      return nil
    }
    let upcoming: [Int]? = state.withLock { state in
      guard state.change == seen else { return nil }
      state.course.pass(to: clock.uptime, isHeld: state.isPaused)
      state.course.show(step)
      return state.course.upcoming(atMost: Swift.min(frames.source.count, Self.mostPlanned))
    }
    guard let upcoming else { return nil }
    await frames.prepare(upcoming, for: seat)
    return PlayedFrame(index: index, finishedPlays: step.play, bitmap: bitmap)
  }

  /// Sleeps for a time, or until something changes or the task is cancelled.
  private func nap(for time: Duration?, unlessChangedSince seen: UInt64) async {
    let nap = Task { [clock] in
      guard let time else { return await Self.sleepUntilCancelled() }
      try? await clock.sleep(for: time)
    }
    let hasChanged = state.withLock { state in
      state.nap = nap
      return state.change != seen
    }
    if hasChanged { nap.cancel() }
    await withTaskCancellationHandler {
      await nap.value
    } onCancel: {
      nap.cancel()
    }
    state.withLock { $0.nap = nil }
  }

  private static func sleepUntilCancelled() async {
    let (nothing, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in nothing {}
    continuation.finish()
  }
}
