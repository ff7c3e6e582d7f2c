/// Reports memory shortages.
///
/// One thread waits; any other thread may end the wait.
package protocol PressureSource: Sendable {
  /// Blocks until memory is short; nil when the source has stopped.
  func next() -> PressureLevel?

  /// Makes ``next()`` return nil from now on.
  func stop()
}

/// The severity of a memory shortage.
package enum PressureLevel: Equatable, Sendable {
  /// Tasks are delayed by a lack of memory.
  case stalling
  /// The control group has reached its limit; the next step is that the kernel kills processes.
  case atLimit

  /// The share of its memory that a store may keep.
  var keptShare: Double {
    switch self {
    case .stalling: 0.75
    case .atLimit: 0.5
    }
  }
}
