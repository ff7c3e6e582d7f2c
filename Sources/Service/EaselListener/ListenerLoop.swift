import CEaselListener
import EaselCore
import EaselService
import EaselSupport
import Glibc

/// A thread that accepts connections, reads heads and sends answers.
///
/// Only this thread touches the loop. Other threads reach it through its inbox.
final class ListenerLoop {
  /// The parts that a loop is made of; all may be handed to its thread.
  struct Parts: Sendable {
    let poller: Int32
    let inbox: LoopInbox
    /// The loop takes them out, so that nothing else keeps them open.
    let sockets: Locked<[ListeningSocket]>
    let settings: ListenerSettings
    let handler: any RequestHandler
    let sending: (any SendingObserver)?
    let clock: any ImageClock
    let limiter: ConnectionLimiter
    let counts: Locked<ListenerCounts>

    /// Closes the descriptors of a loop that never ran, or has ended.
    func close() {
      Glibc.close(poller)
      inbox.close()
      let left = sockets.withLock { sockets in
        defer { sockets = [] }
        return sockets
      }
      withExtendedLifetime(left) {}
    }
  }

  private static let wakerKey = UInt64.max
  private static let eventsAtOnce = 256
  /// The bytes that one connection may send before others get their turn.
  static let bytesPerTurn = 1 << 20
  /// The heads of one connection that are answered before others get their turn.
  static let headsPerTurn = 32

  let poller: Int32
  let inbox: LoopInbox
  private(set) var settings: ListenerSettings
  let handler: any RequestHandler
  let sending: (any SendingObserver)?
  let clock: any ImageClock
  let limiter: ConnectionLimiter
  private let published: Locked<ListenerCounts>

  var sockets: [ListeningSocket]
  var connections = ConnectionTable()
  var queues: [DeadlineQueue]
  var counts = ListenerCounts()
  var order = LoopInbox.Order.serve
  /// The connections whose turn was over before their work was.
  var unfinished: [ConnectionKey] = []
  /// The time at which accepting goes on after a pause.
  var acceptsAgain: Duration?
  /// Descriptors to give up when there is no other: one so that a client can be told, the rest for brief connections.
  var spares: [Int32] = []
  /// The connections over a limit: those that are asked what they want, and those that have yet to read their answer.
  var turnedAway = 0
  /// The connections over the limit whose head is awaited, the oldest first.
  var brief: [ConnectionKey] = []
  private(set) var now: Duration
  private(set) var date = ""
  private var dateTime: Duration?

  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
  private let events = UnsafeMutablePointer<easel_event>.allocate(capacity: ListenerLoop.eventsAtOnce)

  private init(_ parts: Parts) {
    poller = parts.poller
    inbox = parts.inbox
    sockets = parts.sockets.withLock { sockets in
      defer { sockets = [] }
      return sockets
    }
    settings = parts.settings
    handler = parts.handler
    sending = parts.sending
    clock = parts.clock
    limiter = parts.limiter
    published = parts.counts
    now = clock.uptime
    queues = DeadlineQueue.Kind.allCases.map { DeadlineQueue($0, $0.time(in: parts.settings)) }
  }

  deinit {
    buffer.deallocate()
    events.deallocate()
  }

  /// Serves until the loop is told to stop, or to drain and all answers are sent.
  static func run(_ parts: Parts) {
    let loop = ListenerLoop(parts)
    loop.open()
    repeat { loop.turn() } while !loop.hasEnded
    loop.end()
    parts.close()
  }

  private var hasEnded: Bool { order == .stop || order == .drain && connections.count == 0 }

  private func open() {
    easel_poller_add_waker(poller, inbox.waker, Self.wakerKey)
    openSpares()
    watchSockets()
  }

  private func end() {
    for connection in connections.slots.compactMap({ $0 }) { close(connection) }
    stopAccepting()
    publish()
    for spare in spares { Glibc.close(spare) }
    spares = []
  }

  private func turn() {
    let count = easel_poller_wait(poller, events, CInt(Self.eventsAtOnce), timeout)
    now = clock.uptime
    refreshDate()
    let happened = UnsafeBufferPointer(start: events, count: max(0, Int(count)))
    // An order holds for all that came after it, so it is read first.
    if happened.contains(where: { $0.key == Self.wakerKey }) { readMail() }
    for event in happened where event.key != Self.wakerKey {
      if let socket = socket(of: event.key) { accept(from: socket) } else { handle(event) }
    }
    let open = unfinished
    unfinished = []
    for key in open { if let connection = connections[key] { advance(connection) } }
    expire()
    publish()
  }

  private func handle(_ event: easel_event) {
    guard let connection = connections[ConnectionKey(raw: event.key)] else { return }
    if event.flags & UInt32(EASEL_READABLE) != 0 { connection.mayRead = true }
    if event.flags & UInt32(EASEL_LEFT) != 0 { return left(connection) }
    advance(connection)
  }

  private func readMail() {
    easel_waker_clear(inbox.waker)
    let (deliveries, order, settings) = inbox.take()
    if let settings { follow(settings) }
    let isNew = order > self.order
    // Before the deliveries, because their answers say whether the connection stays.
    self.order = max(self.order, order)
    for delivery in deliveries {
      guard let connection = connections[delivery.key], case .waiting = connection.state else { continue }
      answer(connection, delivery.response)
      advance(connection)
    }
    guard isNew else { return }
    stopAccepting()
    if order == .drain { closeIdle() }
  }

  /// Takes other limits, which hold for open connections as well.
  private func follow(_ settings: ListenerSettings) {
    self.settings = settings
    for kind in DeadlineQueue.Kind.allCases { queues[kind.rawValue].follow(kind.time(in: settings), connections.slots) }
  }

  /// Closes the connections on which no client waits.
  private func closeIdle() {
    for connection in connections.slots.compactMap({ $0 }) where connection.isIdle {
      // A head may have arrived meanwhile, and its client would take the end for a failure.
      connection.mayRead = true
      advance(connection)
      if connections[connection.key] === connection, connection.isIdle { close(connection) }
    }
  }

  private var timeout: CInt {
    if !unfinished.isEmpty { return 0 }
    var next = acceptsAgain
    for queue in queues {
      guard let deadline = queue.earliest(connections.slots)?.deadline else { continue }
      next = min(next ?? deadline, deadline)
    }
    guard let next else { return -1 }
    let (seconds, attoseconds) = (next - now).bounded.components
    // Rounded up, or the last millisecond would be spent with asking.
    return CInt(min(seconds, 3600) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }

  private func refreshDate() {
    if let dateTime, now - dateTime < .milliseconds(250) { return }
    dateTime = now
    date = HTTPDate.text(clock.date)
  }

  private func publish() {
    counts.open = connections.count
    published.withLock { $0 = counts }
  }

  /// Sets the deadline of a connection, in place of the one that it had.
  func setDeadline(_ kind: DeadlineQueue.Kind?, _ connection: Connection) {
    if let old = connection.queue { queues[old.rawValue].remove(connection, connections.slots) }
    if let kind { queues[kind.rawValue].add(connection, now: now, connections.slots) }
  }

  /// Gives up a connection whose client is gone.
  func left(_ connection: Connection) {
    switch connection.state {
    case .waiting, .sending: counts.left += 1
    case .reading, .lingering: break
    }
    close(connection)
  }

  func close(_ connection: Connection) {
    if case .waiting(let task) = connection.state { task.cancel() }
    endSending(connection)
    setDeadline(nil, connection)
    connections.remove(connection)
    if connection.isCounted { limiter.leave(connection.client) } else { turnedAway -= 1 }
    brief.removeAll { $0 == connection.key }
    Glibc.close(connection.descriptor)
    openSpares()
  }
}
