import Easel
import Synchronization

/// Counts what became of loads.
final class Counts: ImageObserver {
  private let values = Mutex<[String: Int]>([:])

  func observe(_ event: ImageEvent) {
    let name: String? =
      switch event.kind {
      case .started: "started"
      case .decoded: "decoded"
      case .succeeded: "succeeded"
      case .failed(let error): error.code == .cancelled ? "cancelled" : "failed"
      default: nil
      }
    guard let name else { return }
    values.withLock { $0[name, default: 0] += 1 }
  }

  var text: String {
    let counts = values.withLock { $0 }.sorted { $0.key < $1.key }
    return "{" + counts.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
  }
}
