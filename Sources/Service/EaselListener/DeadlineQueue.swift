/// The deadlines of connections that all have the same time.
///
/// Because the time is the same for all, the order in which they begin is the order of the deadlines. So adding,
/// removing and finding the next cost the same for one connection and for ten thousand.
struct DeadlineQueue {
  /// The kinds of deadline; a connection has at most one at a time.
  enum Kind: Int, CaseIterable {
    case head, idle, send, linger

    func time(in settings: ListenerSettings) -> Duration {
      switch self {
      case .head: settings.headTime
      case .idle: settings.idleTime
      case .send: settings.sendTime
      case .linger: settings.lingerTime
      }
    }
  }

  private let kind: Kind
  private var time: Duration
  private var first: Int32 = -1
  private var last: Int32 = -1

  init(_ kind: Kind, _ time: Duration) {
    self.kind = kind
    self.time = time
  }

  /// Gives the connections another time, also those that are there already.
  mutating func follow(_ time: Duration, _ slots: [Connection?]) {
    let change = time - self.time
    self.time = time
    guard change != .zero else { return }
    var slot = first
    while slot >= 0, let connection = slots[Int(slot)] {
      connection.deadline += change
      slot = connection.next
    }
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
