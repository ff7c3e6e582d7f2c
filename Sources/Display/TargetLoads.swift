import EaselCore
import EaselManager
import EaselSupport

/// The current loads of a target by target key.
///
/// Only the latest load of each key counts.
public final class TargetLoads: Sendable {
  private struct Latest {
    var turn: UInt64
    var task: ImageTask?
  }

  private struct State {
    var turn: UInt64 = 0
    var latest: [String: Latest] = [:]
  }

  private let state = Locked(State())

  /// Begins without a load; a target keeps one for its life.
  public init() {}

  deinit {
    // The target no longer exists, so its pictures are not needed.
    for latest in state.withLock({ $0.latest.values }) { latest.task?.cancel() }
  }

  func begin(_ task: ImageTask, for key: String, keepsPrevious: Bool) -> UInt64 {
    let (turn, previous) = state.withLock { state in
      state.turn += 1
      let previous = state.latest[key]?.task
      state.latest[key] = Latest(turn: state.turn, task: task)
      return (state.turn, previous)
    }
    if !keepsPrevious { previous?.cancel() }
    return turn
  }

  func task(for key: String) -> ImageTask? { state.withLock { $0.latest[key]?.task } }

  /// Releases a finished load, but remembers that it was the latest.
  func end(_ turn: UInt64, for key: String) {
    state.withLock { if $0.latest[key]?.turn == turn { $0.latest[key]!.task = nil } }
  }

  func isLatest(_ turn: UInt64, for key: String) -> Bool {
    state.withLock { $0.latest[key]?.turn == turn }
  }

  /// The number of the latest load under a key; nil when there was none or it was cancelled.
  func latestTurn(for key: String) -> UInt64? { state.withLock { $0.latest[key]?.turn } }

  /// Cancels the load under a key and shows none of its pictures any more.
  func cancel(_ key: String) {
    let latest = state.withLock { $0.latest.removeValue(forKey: key) }
    latest?.task?.cancel()
  }
}

extension TargetLoads {
  /// A load whose picture goes to a target.
  public final class Load: Sendable {
    /// The load itself, for watching it or changing its priority.
    public let task: ImageTask
    private let presenter: Task<ImageResult, any Error>

    init(task: ImageTask, presenter: Task<ImageResult, any Error>) {
      self.task = task
      self.presenter = presenter
    }

    /// The result, available after the target has shown it.
    public var result: ImageResult {
      get async throws(ImageError) {
        do {
          return try await presenter.value
        } catch {
          throw .wrapping(error, as: .network, "The load failed.")
        }
      }
    }

    /// Cancels the load.
    public func cancel() { task.cancel() }
  }
}
