import EaselCore
import EaselSupport

/// Plays a moving picture: an asynchronous sequence that returns each frame when it is due.
///
/// ```swift
/// guard let player = ImagePlayer(image) else { return }
/// for try await frame in player { print(frame.bitmap.size) }
/// ```
///
/// A late frame is waited for, never skipped. The sequence ends after the last frame of the last play has been shown
/// for its full time, or when the task is cancelled; a new iteration plays from the beginning. A player serves one loop
/// at a time. All its other members may be used from any thread meanwhile.
public final class ImagePlayer: AsyncSequence, Sendable {
  private struct State {
    var playback: PlaybackState
    var isPaused = false
    /// The task that sleeps until the next frame is due.
    ///
    /// A change cancels it.
    var nap: Task<Void, Never>?
    /// Counts the user's changes, so that a frame fetched before a change is recognized as outdated.
    var change: UInt64 = 0
  }

  // Players decode no more frames ahead than this. The number is small because each planned step is compared with all
  // previous ones.
  private static let mostPlanned = 256

  private let frames: PlaybackFrames
  private let clock: any ImageClock
  private let state: Locked<State>
  private let player = PlaybackFrames.Player()

  /// Creates a player for a frame source.
  ///
  /// Players of one source share its frames, and all players with the same `budget` share its bytes.
  public init(_ frames: any FrameSource, budget: FrameBudget = .shared, clock: any ImageClock = SystemClock()) {
    self.frames = budget.frames(of: frames)
    self.clock = clock
    state = Locked(State(playback: PlaybackState(of: frames, from: clock.uptime)))
  }

  /// Creates a player for an image; nil when it does not move.
  public convenience init?(_ image: Image, budget: FrameBudget = .shared, clock: any ImageClock = SystemClock()) {
    guard let frames = image.frames else { return nil }
    self.init(frames, budget: budget, clock: clock)
  }

  deinit { frames.leave(player) }

  // MARK: Control

  /// The speed of the player: 1 by default, at most 1,000.
  ///
  /// Zero holds the current frame.
  public var rate: Double {
    get { state.withLock { $0.playback.rate } }
    set { change { $0.playback.rate = newValue.isFinite ? Swift.min(Swift.max(0, newValue), 1000) : 1 } }
  }

  /// The order of the frames.
  ///
  /// A change continues from the current frame.
  public var mode: Mode {
    get { state.withLock { $0.playback.mode } }
    set { change { $0.playback.mode = newValue } }
  }

  /// The number of plays, which replaces that of the picture; 0 means forever, nil uses the picture's own.
  public var loopCount: Int? {
    get { state.withLock { $0.playback.loopCount } }
    set { change { $0.playback.loopCount = newValue } }
  }

  /// True while the player is paused.
  public var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Holds the current frame; its remaining time runs on after ``resume()``.
  public func pause() { change { $0.isPaused = true } }

  /// Continues after ``pause()``.
  public func resume() { change { $0.isPaused = false } }

  /// Moves to a frame and shows it at once, even if the player is paused.
  ///
  /// An index outside the picture selects the first or the last frame. `finishedPlays` sets the number of finished
  /// plays; nil keeps it.
  public func seek(toFrame index: Int, finishedPlays: Int? = nil) {
    let count = frames.source.count
    guard count > 0 else { return }
    let index = Swift.min(Swift.max(0, index), count - 1)
    change { $0.playback.seek(to: index, finishedPlays: finishedPlays) }
  }

  /// The index of the current frame; nil before the first.
  public var currentFrame: Int? { state.withLock { $0.playback.shownFrame } }

  /// The number of finished plays.
  public var finishedPlays: Int { state.withLock { $0.playback.finishedPlays } }

  private func change(_ body: (inout State) -> Void) {
    let nap = state.withLock { state in
      state.playback.pass(to: clock.uptime, isHeld: state.isPaused)
      body(&state)
      state.change += 1
      return state.nap
    }
    nap?.cancel()
  }

  // MARK: Playing

  /// Iterates over the frames of a player.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let player: ImagePlayer

    /// Returns the next frame when it is due; nil at the end.
    public mutating func next() async throws -> Frame? { try await player.nextFrame() }
  }

  /// Starts to play or continues.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(player: self) }

  private func nextFrame() async throws -> Frame? {
    while !Task.isCancelled {
      let (turn, seen) = state.withLock { state in
        state.playback.pass(to: clock.uptime, isHeld: state.isPaused)
        return (state.playback.turn(isHeld: state.isPaused), state.change)
      }
      switch turn {
      case .over:
        state.withLock { $0.playback.rewind() }
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

  private func show(_ step: PlaybackStep, unlessChangedSince seen: UInt64) async throws -> Frame? {
    let index = state.withLock { $0.playback.frame(at: step) }
    let bitmap: Bitmap
    do {
      bitmap = try await frames.frame(at: index)
    } catch  where Task.isCancelled {
      return nil
    }
    let mostPlanned = Swift.min(frames.source.count, frames.mostPlanned, Self.mostPlanned)
    let upcoming: [Int]? = state.withLock { state in
      guard state.change == seen else { return nil }
      state.playback.pass(to: clock.uptime, isHeld: state.isPaused)
      state.playback.show(step)
      return state.playback.upcoming(atMost: mostPlanned)
    }
    guard let upcoming else { return nil }
    frames.prepare(upcoming, for: player)
    return Frame(index: index, finishedPlays: step.play, bitmap: bitmap)
  }

  /// Sleeps for the given time (nil means without end), or until a change or the cancellation of the task.
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
