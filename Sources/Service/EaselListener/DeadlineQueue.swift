/// The deadlines of connections that all have the same time.
///
/// Because the time is the same for all, the order in which they begin is the order of the deadlines. So adding,
/// removing and finding the next cost the same for one connection and for ten thousand.
struct DeadlineQueue {
  /// The kinds of deadline; a connection has at most one at a time.
  enum Kind: Int, CaseIterable {
    case head, idle, send, linger
  }

  private let kind: Kind
  private let time: Duration
  private var first: Int32 = -1
  private var last: Int32 = -1

  init(_ kind: Kind, _ time: Duration) {
    self.kind = kind
    self.time = time
  }

  /// The connection with the earliest deadline.
  func earliest(_ slots: [Connection?]) -> Connection? { first < 0 ? nil : slots[Int(first)] }

  mutating func add(_ connection: Connection, now: Duration, _ slots: [Connection?]) {
    let slot = Int32(connection.key.slot)
    connection.queue = kind
    connection.deadline = now + time
    connection.previous = last
    connection.next = -1
    if last >= 0 { slots[Int(last)]?.next = slot } else { first = slot }
    last = slot
  }

  mutating func remove(_ connection: Connection, _ slots: [Connection?]) {
    let (previous, next) = (connection.previous, connection.next)
    if previous >= 0 { slots[Int(previous)]?.next = next } else { first = next }
    if next >= 0 { slots[Int(next)]?.previous = previous } else { last = previous }
    connection.queue = nil
  }
}
