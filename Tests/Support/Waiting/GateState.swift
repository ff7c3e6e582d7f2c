/// The waiters at a gate, for both kinds of gate.
struct GateState {
  private(set) var isOpen: Bool
  private(set) var waiting: [UInt64] = []
  private(set) var arrivals: UInt64 = 0
  private var credit = 0

  init(isOpen: Bool) { self.isOpen = isOpen }

  /// The number under which the caller must wait; nil if it may pass.
  mutating func arrive() -> UInt64? {
    arrivals += 1
    if isOpen { return nil }
    if credit > 0 {
      credit -= 1
      return nil
    }
    waiting.append(arrivals)
    return arrivals
  }

  mutating func leave(_ number: UInt64) { waiting.removeAll { $0 == number } }

  mutating func open() {
    isOpen = true
    credit = 0
    waiting = []
  }

  mutating func close() { isOpen = false }

  mutating func letThrough(_ count: Int) {
    let now = min(count, waiting.count)
    waiting.removeFirst(now)
    if !isOpen { credit += count - now }
  }
}
