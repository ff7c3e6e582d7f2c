import Easel
import Synchronization

/// Records the duration of each stage of one load.
final class StageTimes: ImageObserver {
  struct Times {
    var transfer: Duration?
    var decode: Duration?
    var transform: Duration?
  }

  private let times = Mutex(Times())

  var all: Times { times.withLock { $0 } }

  func observe(_ event: ImageEvent) {
    times.withLock { times in
      switch event.kind {
      case .loaded(_, let metrics): times.transfer = metrics?.total
      case .decoded(_, let duration): times.decode = duration
      case .transformed(_, let duration): times.transform = (times.transform ?? .zero) + duration
      default: break
      }
    }
  }
}
