import Easel
import EaselSupport

/// Tells the operator of troubles that go on: each once, however many requests meet it.
final class ServeWarnings: ImageObserver {
  private enum Trouble {
    case fullDisk, failingCache
  }

  private let folder: String?
  private let note: @Sendable (String) -> Void
  private let told = Locked<Set<Trouble>>([])

  init(cacheFolder: String?, note: @escaping @Sendable (String) -> Void) {
    (folder, self.note) = (cacheFolder, note)
  }

  /// Tells of troubles once more, because somebody may have acted.
  func startAnew() { told.withLock { $0 = [] } }

  func observe(_ event: ImageEvent) {
    // A shared store has a log of its own.
    guard case .cacheFailed(let error) = event.kind, error.sharedStoreTrouble == nil, let folder else { return }
    let trouble = error.isAboutFullDisk ? Trouble.fullDisk : .failingCache
    guard told.withLock({ $0.insert(trouble).inserted }) else { return }
    switch trouble {
    case .fullDisk:
      note(
        "The disk of the cache \(folder) is full. Pictures are made and served, but new ones are not kept there. Free some "
          + "space, or lower cache-size.")
    case .failingCache:
      // The message names the picture, which is for the log of requests to show.
      let cause = error.underlyingError.map { ": \($0)" } ?? ""
      note("The cache \(folder) failed\(cause). Pictures are made and served without it, as far as it fails.")
    }
  }
}
