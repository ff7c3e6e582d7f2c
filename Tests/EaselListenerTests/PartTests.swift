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

struct CensusTests {
  @Test func itCountsAllAndEachAddress() throws {
    var settings = ListenerSettings()
    settings.connections = 3
    settings.connectionsPerAddress = 2
    let census = Census(settings)
    let one = try #require(Origin(four(10, 0, 0, 1)))
    let two = try #require(Origin(four(10, 0, 0, 2)))
    #expect(census.enter(one) == .welcome && census.enter(one) == .welcome)
    #expect(census.enter(one) == .tooManyOfOrigin)
    #expect(census.enter(two) == .welcome)
    #expect(census.enter(two) == .tooMany && census.enter(nil) == .tooMany)
    census.leave(one)
    #expect(census.enter(nil) == .welcome)
    #expect(census.enter(one) == .tooMany)
    census.leave(nil)
    #expect(census.enter(one) == .welcome)
    for origin in [one, one, two] { census.leave(origin) }
    #expect((0..<2).allSatisfy { _ in census.enter(one) == .welcome })
  }

  @Test func otherLimitsCountThoseWhoAreThere() throws {
    var settings = ListenerSettings()
    settings.connections = 3
    let census = Census(settings)
    let one = try #require(Origin(four(10, 0, 0, 1)))
    for _ in 0..<3 { #expect(census.enter(one) == .welcome) }
    settings.connections = 4
    settings.connectionsPerAddress = 3
    census.follow(settings)
    #expect(census.enter(one) == .tooManyOfOrigin)
    census.leave(one)
    #expect(census.enter(one) == .welcome)
    settings.connections = 2
    settings.connectionsPerAddress = nil
    census.follow(settings)
    #expect(census.enter(nil) == .tooMany && census.most == 2)
    for _ in 0..<2 { census.leave(one) }
    #expect(census.enter(one) == .welcome)
  }

  @Test func connectionsLeaveDescriptorsForOthers() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let all = Int(clamping: limit.rlim_cur)
    var settings = ListenerSettings()
    settings.connections = .max
    settings.reservedDescriptors = 100
    #expect(Census(settings).most == all - 100)
    settings.reservedDescriptors = all
    #expect(Census(settings).most == all - all / 4 * 3)
    settings.connections = 7
    settings.reservedDescriptors = 0
    #expect(Census(settings).most == 7)
  }

  @Test func addressesOfAHouseholdAreOne() {
    #expect(Origin(four(10, 0, 0, 1)) == Origin(four(10, 0, 0, 1)))
    #expect(Origin(four(10, 0, 0, 1)) != Origin(four(10, 0, 0, 2)))
    #expect(Origin(six(network: 1, host: 1)) == Origin(six(network: 1, host: 2)))
    #expect(Origin(six(network: 1, host: 1)) != Origin(six(network: 2, host: 1)))
    #expect(Origin(easel_peer()) == nil)
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

struct MailboxTests {
  @Test func lettersAndOrdersWakeTheLoop() {
    let mailbox = Mailbox(waker: easel_waker_open())
    #expect(!isSignalled(mailbox))
    mailbox.post(letter(1))
    mailbox.post(letter(2))
    #expect(isSignalled(mailbox))
    easel_waker_clear(mailbox.waker)
    #expect(mailbox.take().letters.map(\.key.raw) == [1, 2])
    #expect(!isSignalled(mailbox))
    mailbox.post(.drain)
    mailbox.post(.serve)
    #expect(isSignalled(mailbox))
    #expect(mailbox.take().order == .drain)
    mailbox.post(.stop)
    mailbox.post(.drain)
    #expect(mailbox.take().order == .stop)
    mailbox.close()
  }

  @Test func aLateLetterIsDropped() {
    let mailbox = Mailbox(waker: easel_waker_open())
    mailbox.post(letter(1))
    mailbox.close()
    mailbox.post(letter(2))
    mailbox.post(.stop)
    #expect(mailbox.take().letters.isEmpty)
  }

  private func letter(_ key: UInt64) -> Mailbox.Letter {
    Mailbox.Letter(key: ConnectionKey(raw: key), response: ServiceResponse(status: 200))
  }

  private func isSignalled(_ mailbox: Mailbox) -> Bool {
    var watched = pollfd(fd: mailbox.waker, events: Int16(POLLIN), revents: 0)
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
