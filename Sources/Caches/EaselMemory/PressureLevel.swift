/// How badly the system needs memory back.
package enum PressureLevel: Equatable, Sendable {
  /// Work is held up by a lack of memory.
  case stalling
  /// The control group has reached its limit, and what comes next is killing.
  case atLimit

  /// The part of what a store keeps that it may go on keeping.
  var keptShare: Double {
    switch self {
    case .stalling: 0.75
    case .atLimit: 0.5
    }
  }
}
