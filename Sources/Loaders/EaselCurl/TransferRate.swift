/// Measures how fast a response arrives, in successive periods that begin with its first bytes.
struct TransferRate {
  private var start: Int64 = 0
  private var bytesAtStart: Int64 = 0
  private var hasBegun = false

  /// Begins with a new step, of which no bytes have arrived yet.
  mutating func begin(at now: Int64, bytes: Int64) {
    restart(at: now, bytes: bytes)
    hasBegun = false
  }

  /// Begins a new period, because the time before must not count.
  mutating func restart(at now: Int64, bytes: Int64) {
    start = now
    bytesAtStart = bytes
    hasBegun = true
  }

  /// The time at which the current period ends.
  func end(after period: Int64) -> Int64 { start + period }

  /// Ends the period if it is over, and begins the next one.
  ///
  /// `beginning` is the time at which the first bytes of the response arrived, nil before that. Returns the bytes of
  /// the period; nil when the period is not over, or when the response has not begun.
  mutating func next(after period: Int64, at now: Int64, bytes: Int64, beginning: Int64?) -> Int64? {
    if !hasBegun {
      // Before the response begins, only the silence of the server counts.
      start = beginning ?? now
      hasBegun = beginning != nil
    }
    guard hasBegun, end(after: period) <= now else { return nil }
    defer { restart(at: now, bytes: bytes) }
    return bytes - bytesAtStart
  }
}
