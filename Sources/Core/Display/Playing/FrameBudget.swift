/// The memory that players may fill with frames that are not due yet.
///
/// Each moving picture that is played gets an equal part; the frame that comes next is always decoded, whatever it
/// takes.
public final class FrameBudget: Sendable {
  /// What players use unless they are told otherwise: 64 MiB.
  public static let shared = FrameBudget(byteLimit: 64 << 20)

  private struct Playing {
    weak var frames: PlayedFrames?
  }

  private struct State {
    var byteLimit: Int
    var playing: [ObjectIdentifier: Playing] = [:]
  }

  private let state: Locked<State>
  /// The threads that make frames.
  let workers: WorkerSet

  /// Creates a budget of its own.
  public convenience init(byteLimit: Int) { self.init(byteLimit: byteLimit, workers: .pixels) }

  package init(byteLimit: Int, workers: WorkerSet) {
    state = Locked(State(byteLimit: byteLimit))
    self.workers = workers
  }

  /// The most bytes of frames that are kept for later.
  public var byteLimit: Int {
    get { state.withLock { $0.byteLimit } }
    set { state.withLock { $0.byteLimit = newValue } }
  }

  /// The bytes for each picture that is played at this moment.
  var share: Int {
    state.withLock { state in
      state.playing = state.playing.filter { $0.value.frames != nil }
      return state.byteLimit / max(1, state.playing.count)
    }
  }

  /// The frames of a source, the same for all players of it.
  ///
  /// Only a source that is an object can be recognised; of a value, each player has frames of its own.
  func frames(of source: any FrameSource) -> PlayedFrames {
    let made = PlayedFrames(source, budget: self)
    let identity = type(of: source) is AnyClass ? ObjectIdentifier(source as AnyObject) : ObjectIdentifier(made)
    return state.withLock { state in
      if let frames = state.playing[identity]?.frames { return frames }
      state.playing[identity] = Playing(frames: made)
      return made
    }
  }
}
