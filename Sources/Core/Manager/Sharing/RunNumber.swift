import Synchronization

/// The number of a run and of the load for which it was begun.
struct RunName: Hashable, Sendable {
  let number: UInt64
  let turn: UInt64?
}

/// Numbers runs over the whole process, so that no two were ever the same.
enum RunNumber {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
