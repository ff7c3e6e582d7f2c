/// How fast an answer comes, measured over one stretch of time after another.
struct TransferRate {
  private var start: Int64 = 0
  private var bytesAtStart: Int64 = 0
  private var bytesAtFirst: Int64 = 0

  /// Begins with a leg, of which nothing has come yet.
  mutating func begin(at now: Int64, bytes: Int64) {
    bytesAtFirst = bytes
    restart(at: now, bytes: bytes)
  }

  /// Begins to measure afresh, after a time that does not count.
  mutating func restart(at now: Int64, bytes: Int64) {
    start = now
    bytesAtStart = bytes
  }

  /// When the stretch is to be looked at.
  func end(after period: Int64) -> Int64 { start + period }

  /// The bytes of a stretch that is over, and the beginning of the next one; nil where the answer began in its course.
  mutating func next(at now: Int64, bytes: Int64) -> Int64? {
    defer { restart(at: now, bytes: bytes) }
    return bytesAtStart > bytesAtFirst ? bytes - bytesAtStart : nil
  }
}
