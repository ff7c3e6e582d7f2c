/// Measures how fast an answer arrives, over successive periods.
struct TransferRate {
  private var start: Int64 = 0
  private var bytesAtStart: Int64 = 0
  private var bytesAtFirst: Int64 = 0

  /// Starts with a new leg, of which no bytes have arrived yet.
  mutating func begin(at now: Int64, bytes: Int64) {
    bytesAtFirst = bytes
    restart(at: now, bytes: bytes)
  }

  /// Starts a new period, after time that does not count.
  mutating func restart(at now: Int64, bytes: Int64) {
    start = now
    bytesAtStart = bytes
  }

  /// The time at which the current period ends.
  func end(after period: Int64) -> Int64 { start + period }

  /// Ends the period and starts the next one.
  ///
  /// Returns the bytes of the period; nil when the answer began during it.
  mutating func next(at now: Int64, bytes: Int64) -> Int64? {
    defer { restart(at: now, bytes: bytes) }
    return bytesAtStart > bytesAtFirst ? bytes - bytesAtStart : nil
  }
}
