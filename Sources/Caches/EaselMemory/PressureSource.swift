/// Reports memory shortages.
///
/// One thread waits for a report; any other thread may end the wait.
package protocol PressureSource: Sendable {
  /// Blocks until memory is short; returns nil when the source was stopped.
  func next() -> PressureLevel?

  /// Makes ``next()`` return nil from now on.
  func stop()
}

/// The severity of a memory shortage.
package enum PressureLevel: Equatable, Sendable {
  /// Tasks wait because memory is short.
  case stalling
  /// The control group has reached its limit; next, the kernel would kill processes.
  case atLimit

  /// The share of its memory that a store may keep.
  var keptShare: Double {
    switch self {
    case .stalling: 0.75
    case .atLimit: 0.5
    }
  }
}
