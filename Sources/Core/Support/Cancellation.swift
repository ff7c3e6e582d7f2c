import Synchronization

/// A flag that is set when a result is no longer wanted.
package final class Cancellation: Sendable {
  private let flag = Atomic(false)

  package init() {}

  package var isCancelled: Bool { flag.load(ordering: .acquiring) }

  package func cancel() { flag.store(true, ordering: .releasing) }
}
