import Synchronization

/// Numbers what begins, over the whole process: what began earlier has the lower number.
package enum Turn {
  private static let last = Atomic<UInt64>(0)

  package static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
