import EaselSupport
import EaselTestSupport
import Testing

@testable import EaselManager

struct SerialDeliveryTests {
  private let gate = Gate()
  private let heard = Locked<[Int]>([])

  /// A mailbox whose receiver stops at the first message until the gate opens.
  private var delivery: SerialDelivery<Int> {
    SerialDelivery { [gate, heard] message in
      if message == 1 { gate.pass() }
      heard.withLock { $0.append(message) }
    }
  }

  @Test func whoDeliversAllWaitsForTheCallerThatIsAtIt() async {
    let delivery = delivery
    async let first: Void = runBlocking {
      delivery.post(1)
      delivery.deliver()
    }
    await gate.waitForWaiters()
    delivery.post(2)
    let all = Task {
      await delivery.deliverAll()
      return heard.withLock { $0 }
    }
    #expect(!delivery.deliver() && heard.withLock { $0 }.isEmpty)
    gate.open()
    #expect(await all.value == [1, 2])
    await first
    delivery.post(3)
    await delivery.deliverAll()
    #expect(heard.withLock { $0 } == [1, 2, 3])
  }

  @Test func whatIsCalledBehindComesAfterWhatWasPosted() async {
    let delivery = delivery
    #expect(!delivery.callBehind({}) && delivery.deliver())
    async let first: Void = runBlocking {
      delivery.post(1)
      delivery.deliver()
    }
    await gate.waitForWaiters()
    delivery.post(2)
    #expect(delivery.callBehind { heard.withLock { $0.append(100) } })
    gate.open()
    await first
    #expect(heard.withLock { $0 } == [1, 2, 100])
  }

  /// A thread that still delivers older events holds up the answer, and not the events.
  @Test func theAnswerOfARunComesAfterTheEventsBeforeIt() async throws {
    let work = SharedWork<Int, Int>()
    let place = RunPlace(priority: nil) { [gate, heard] event in
      guard case .progress(let received, _) = event else { return }
      if received == 1 { gate.pass() }
      heard.withLock { $0.append(received) }
    }
    let (found, end) = (Watched<SharedRun?>(nil), AsyncGate())
    work.join(at: place, 0) {
      { run in
        found.withLock { $0 = run }
        try await end.pass()
        return 7
      }
    }
    await found.wait { $0 != nil }
    let run = try #require(found.withLock { $0 })
    async let first: Void = runBlocking { run.emit(.progress(received: 1, expected: nil)) }
    await gate.waitForWaiters()
    run.emit(.progress(received: 2, expected: nil))
    end.open()
    while work.count > 0 { await Task.yield() }
    // Gives an answer that overtakes the events the time to come.
    for _ in 0..<100 { await Task.yield() }
    #expect(!place.isAnswered)
    gate.open()
    let value: Int = try await place.value()
    #expect(value == 7 && heard.withLock { $0 } == [1, 2])
    await first
  }
}
