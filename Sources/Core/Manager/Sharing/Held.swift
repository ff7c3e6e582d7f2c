import Synchronization

/// A value of a run that stays joinable while someone holds it.
final class Held<Value: Sendable>: Sendable {
  let value: Value
  private let whenReleased: @Sendable () -> Void
  private let isReleased = Atomic(false)

  init(_ value: Value, whenReleased: @escaping @Sendable () -> Void) {
    self.value = value
    self.whenReleased = whenReleased
  }

  deinit { release() }

  func release() {
    if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { whenReleased() }
  }
}
