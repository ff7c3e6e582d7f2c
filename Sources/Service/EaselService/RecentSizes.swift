import EaselCore
import EaselSupport
import FoundationEssentials

/// The upright sizes of pictures that were asked for lately, by their URLs.
///
/// Half of them go at once, those that were not noted since the other half came.
final class RecentSizes: Sendable {
  private struct State {
    var newer: [URL: PixelSize] = [:]
    var older: [URL: PixelSize] = [:]
  }

  private let capacity: Int
  private let state = Locked(State())

  init(capacity: Int = 8192) { self.capacity = max(2, capacity) }

  subscript(url: URL) -> PixelSize? {
    get { state.withLock { $0.newer[url] ?? $0.older[url] } }
    set {
      state.withLock { state in
        if state.newer.count >= capacity / 2 { (state.older, state.newer) = (state.newer, [:]) }
        state.newer[url] = newValue
      }
    }
  }
}
