import Synchronization

/// Numbers loads and other work in the process by their start: earlier work has a lower number.
package enum Turn {
  private static let last = Atomic<UInt64>(0)

  package static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
