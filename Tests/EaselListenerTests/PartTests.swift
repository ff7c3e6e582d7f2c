import CEaselListener
import EaselCore
import EaselService
import EaselTestSupport
import Glibc
import Testing

@testable import EaselListener

struct DeadlineQueueTests {
  @Test func itKeepsTheOrderOfDeadlinesWhateverIsRemoved() {
    var random = SeededRandom(seed: 11)
    var table = ConnectionTable()
    var queue = DeadlineQueue(.idle, .seconds(5))
    // The keys in the order in which they were added.
    var model: [ConnectionKey] = []
    var now = Duration.zero
    for _ in 0..<5000 {
      now += .milliseconds(Int.random(in: 0...3, using: &random))
      if Bool.random(using: &random) || model.isEmpty {
        let connection = table.add(-1, nil)
        queue.add(connection, now: now, table.slots)
        #expect(connection.queue == .idle && connection.deadline == now + .seconds(5))
        model.append(connection.key)
      } else {
        let key = model.remove(at: Int.random(in: model.indices, using: &random))
        guard let connection = table[key] else {
          Issue.record("A connection is missing.")
          return
        }
        queue.remove(connection, table.slots)
        #expect(connection.queue == nil)
        table.remove(connection)
      }
      #expect(queue.earliest(table.slots)?.key == model.first)
    }
    for key in model {
      guard let connection = queue.earliest(table.slots) else { break }
      #expect(connection.key == key)
      queue.remove(connection, table.slots)
    }
    #expect(queue.earliest(table.slots) == nil)
  }
}

struct ConnectionTableTests {
  @Test func aKeyIsNeverUsedAgain() {
    var table = ConnectionTable()
    let first = table.add(-1, nil)
    table.remove(first)
    let second = table.add(-1, nil)
    #expect(second.key.slot == first.key.slot && second.key != first.key)
    #expect(table[first.key] == nil && table[second.key] === second)
    #expect(table.count == 1)
  }

  @Test func keysOfNoConnectionFindNone() {
    var table = ConnectionTable()
    #expect(table[ConnectionKey(raw: 0)] == nil)
    _ = table.add(-1, nil)
    let others: [UInt64] = [.max, .max - 1, 0, 1, 1 << 32 | 1, 2 << 32]
    for raw in others { #expect(table[ConnectionKey(raw: raw)] == nil) }
  }

  @Test func placesAreUsedAgain() {
    var table = ConnectionTable()
    for _ in 0..<1000 {
      let connections = (0..<10).map { _ in table.add(-1, nil) }
      for connection in connections.shuffled() { table.remove(connection) }
    }
    #expect(table.slots.count == 10 && table.count == 0)
  }
}

struct ConnectionInputTests {
  @Test func anIdleConnectionKeepsNoBytes() {
    let connection = Connection(-1, ConnectionKey(raw: 0), nil)
    #expect(connection.isFresh && !connection.isIdle)
    let head = Array("GET /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    for _ in 0..<3 {
      #expect(target(read(head, connection)) == "/a")
      #expect(connection.input.capacity == 0 && !connection.hasInput && !connection.hasNews)
    }
    #expect(connection.isIdle && !connection.isFresh)
  }

  @Test func bytesAfterAHeadAreTheNextOne() {
    let connection = Connection(-1, ConnectionKey(raw: 0), nil)
    let heads = (0..<5).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
    let bytes = Array((heads + "GET /half").utf8)
    #expect(target(read(bytes, connection)) == "/0")
    for number in 1..<5 {
      #expect(connection.hasNews)
      #expect(target(connection.readHead(HeadLimits())) == "/\(number)")
    }
    #expect(connection.hasNews && connection.readHead(HeadLimits()) == .incomplete)
    #expect(!connection.hasNews && connection.hasInput && !connection.isIdle)
    #expect(target(read(Array(" HTTP/1.1\r\nHost: a\r\n\r\nX".utf8), connection)) == "/half")
    #expect(connection.hasNews && connection.readHead(HeadLimits()) == .incomplete)
    connection.forgetInput()
    #expect(!connection.hasInput && connection.input.capacity == 0)
  }

  private func read(_ bytes: [UInt8], _ connection: Connection) -> HeadReader.Result {
    bytes.withUnsafeBytes { connection.readHead($0, HeadLimits()) }
  }

  private func target(_ result: HeadReader.Result) -> String? {
    if case .head(let head, _) = result { return head.target }
    return nil
  }
}

struct ConnectionLimiterTests {
  @Test func itCountsAllAndEachAddress() throws {
    var settings = ListenerSettings()
    settings.connections = 3
    settings.connectionsPerAddress = 2
    let limiter = ConnectionLimiter(settings)
    let one = try #require(ClientAddress(four(10, 0, 0, 1)))
    let two = try #require(ClientAddress(four(10, 0, 0, 2)))
    #expect(limiter.enter(one) == .welcome && limiter.enter(one) == .welcome)
    #expect(limiter.enter(one) == .tooManyOfClient)
    #expect(limiter.enter(two) == .welcome)
    #expect(limiter.enter(two) == .tooMany && limiter.enter(nil) == .tooMany)
    limiter.leave(one)
    #expect(limiter.enter(nil) == .welcome)
    #expect(limiter.enter(one) == .tooMany)
    limiter.leave(nil)
    #expect(limiter.enter(one) == .welcome)
    for client in [one, one, two] { limiter.leave(client) }
    #expect((0..<2).allSatisfy { _ in limiter.enter(one) == .welcome })
  }

  @Test func otherLimitsCountThoseWhoAreThere() throws {
    var settings = ListenerSettings()
    settings.connections = 3
    let limiter = ConnectionLimiter(settings)
    let one = try #require(ClientAddress(four(10, 0, 0, 1)))
    for _ in 0..<3 { #expect(limiter.enter(one) == .welcome) }
    settings.connections = 4
    settings.connectionsPerAddress = 3
    limiter.follow(settings)
    #expect(limiter.enter(one) == .tooManyOfClient)
    limiter.leave(one)
    #expect(limiter.enter(one) == .welcome)
    settings.connections = 2
    settings.connectionsPerAddress = nil
    limiter.follow(settings)
    #expect(limiter.enter(nil) == .tooMany && limiter.most == 2)
    for _ in 0..<2 { limiter.leave(one) }
    #expect(limiter.enter(one) == .welcome)
  }

  @Test func connectionsLeaveDescriptorsForOthers() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let all = Int(clamping: limit.rlim_cur)
    var settings = ListenerSettings()
    settings.connections = .max
    settings.reservedDescriptors = 100
    #expect(ConnectionLimiter(settings).most == all - 100)
    settings.reservedDescriptors = all
    #expect(ConnectionLimiter(settings).most == all - all / 4 * 3)
    settings.connections = 7
    settings.reservedDescriptors = 0
    #expect(ConnectionLimiter(settings).most == 7)
  }

  @Test func addressesOfAHouseholdAreOne() {
    #expect(ClientAddress(four(10, 0, 0, 1)) == ClientAddress(four(10, 0, 0, 1)))
    #expect(ClientAddress(four(10, 0, 0, 1)) != ClientAddress(four(10, 0, 0, 2)))
    #expect(ClientAddress(six(network: 1, host: 1)) == ClientAddress(six(network: 1, host: 2)))
    #expect(ClientAddress(six(network: 1, host: 1)) != ClientAddress(six(network: 2, host: 1)))
    #expect(ClientAddress(easel_peer()) == nil)
  }

  private func four(_ bytes: UInt8...) -> easel_peer {
    var peer = easel_peer()
    peer.version = 4
    withUnsafeMutableBytes(of: &peer.bytes) { $0.copyBytes(from: bytes) }
    return peer
  }

  private func six(network: UInt8, host: UInt8) -> easel_peer {
    var peer = easel_peer()
    peer.version = 6
    let bytes: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, network, 0, 0, 0, 0, 0, 0, 0, host]
    withUnsafeMutableBytes(of: &peer.bytes) { $0.copyBytes(from: bytes) }
    return peer
  }
}

struct LoopInboxTests {
  @Test func lettersAndOrdersWakeTheLoop() {
    let inbox = LoopInbox(waker: easel_waker_open())
    #expect(!isSignalled(inbox))
    inbox.post(delivery(1))
    inbox.post(delivery(2))
    #expect(isSignalled(inbox))
    easel_waker_clear(inbox.waker)
    #expect(inbox.take().deliveries.map(\.key.raw) == [1, 2])
    #expect(!isSignalled(inbox))
    inbox.post(.drain)
    inbox.post(.serve)
    #expect(isSignalled(inbox))
    #expect(inbox.take().order == .drain)
    inbox.post(.stop)
    inbox.post(.drain)
    #expect(inbox.take().order == .stop)
    inbox.close()
  }

  @Test func aLateLetterIsDropped() {
    let inbox = LoopInbox(waker: easel_waker_open())
    inbox.post(delivery(1))
    inbox.close()
    inbox.post(delivery(2))
    inbox.post(.stop)
    #expect(inbox.take().deliveries.isEmpty)
  }

  private func delivery(_ key: UInt64) -> LoopInbox.Delivery {
    LoopInbox.Delivery(key: ConnectionKey(raw: key), response: ServiceResponse(status: 200))
  }

  private func isSignalled(_ inbox: LoopInbox) -> Bool {
    var watched = pollfd(fd: inbox.waker, events: Int16(POLLIN), revents: 0)
    return poll(&watched, 1, 0) == 1
  }
}

struct ListenerCountsTests {
  @Test func countsOfThreadsAddUp() {
    var one = ListenerCounts()
    one.accepted = 3
    one.requests = 2
    one.refused = [400: 1, 503: 2]
    var sum = one
    one.refused = [400: 4]
    one.pauses = 1
    sum.add(one)
    #expect(sum.accepted == 6 && sum.requests == 4 && sum.pauses == 1)
    #expect(sum.refused == [400: 5, 503: 2])
  }
}
