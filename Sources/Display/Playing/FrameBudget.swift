import EaselCore
import EaselSupport
import EaselWorkers

extension ImagePlayer {
  /// Limits the memory that players fill with frames decoded ahead.
  ///
  /// All moving pictures being played get an equal share. The next frame is always decoded, whatever its size.
  public final class FrameBudget: Sendable {
    /// The default budget of players: 64 MiB.
    public static let shared = FrameBudget(byteLimit: 64 << 20)

    private struct Playing {
      weak var frames: PlaybackFrames?
    }

    private struct State {
      var byteLimit: Int
      var playing: [ObjectIdentifier: Playing] = [:]
    }

    private let state: Locked<State>
    /// The threads that decode frames.
    let workers: WorkerSet

    /// Limits the bytes of the frames that players hold, apart from the budget that all others share.
    public convenience init(byteLimit: Int) { self.init(byteLimit: byteLimit, workers: .pixels) }

    package init(byteLimit: Int, workers: WorkerSet) {
      state = Locked(State(byteLimit: byteLimit))
      self.workers = workers
    }

    /// The most bytes of frames that are decoded ahead.
    public var byteLimit: Int {
      get { state.withLock { $0.byteLimit } }
      set { state.withLock { $0.byteLimit = newValue } }
    }

    /// The bytes for each picture that is being played now.
    var share: Int {
      state.withLock { state in
        // Asked for each frame, so nothing is made anew while all pictures are still played.
        if state.playing.values.contains(where: { $0.frames == nil }) {
          state.playing = state.playing.filter { $0.value.frames != nil }
        }
        return state.byteLimit / Swift.max(1, state.playing.count)
      }
    }

    /// The frames of a source, shared by all of its players.
    ///
    /// Only a source that is an object can be recognized again. For other sources each player gets frames of its own.
    func frames(of source: any FrameSource) -> PlaybackFrames {
      let made = PlaybackFrames(source, budget: self)
      let identity = type(of: source) is AnyClass ? ObjectIdentifier(source as AnyObject) : ObjectIdentifier(made)
      return state.withLock { state in
        if let frames = state.playing[identity]?.frames { return frames }
        state.playing[identity] = Playing(frames: made)
        return made
      }
    }
  }
}
