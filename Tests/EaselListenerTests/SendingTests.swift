import EaselCore
import EaselListener
import EaselService
import EaselTestSupport
import EaselTestTags
import Testing

/// A listener tells how long the answers of its handler take to be sent.
@Suite(.tags(.alone))
struct SendingTests {
  /// Notes what it is told.
  private final class Notes: SendingObserver {
    private let state = Watched((running: 0, durations: [Duration]()))

    var running: Int { state.withLock { $0.running } }
    var durations: [Duration] { state.withLock { $0.durations } }

    func beginSending() { state.withLock { $0.running += 1 } }

    func endSending(after duration: Duration) {
      state.withLock { state in
        state.running -= 1
        state.durations.append(duration)
      }
    }

    func wait(until isTrue: @escaping @Sendable (_ running: Int, _ ended: Int) -> Bool) async {
      await state.wait { isTrue($0.running, $0.durations.count) }
    }
  }

  private let notes = Notes()

  private func listener(_ clock: ManualClock, _ handler: TestHandler) throws -> Listener {
    try Listener(on: [.tcp(host: "127.0.0.1", port: 0)], handler: handler, sending: notes, clock: clock)
  }

  @Test func everyAnswerOfTheHandlerIsMeasured() async throws {
    let listener = try listener(ManualClock(), TestHandler())
    let client = try ListenerClient(listener.addresses[0])
    for target in ["/now", "/later"] {
      client.get(target)
      #expect(await client.answer()?.status == 200)
    }
    client.send("nonsense\r\n\r\n")
    #expect(await client.answer()?.status == 400)
    listener.stopNow()
    await listener.waitForEnd()
    // The refusal is the listener's own.
    #expect(notes.durations.count == 2 && notes.running == 0)
  }

  /// The time is that of the client, who takes its answer when it likes.
  @Test func aSlowClientTakesItsTime() async throws {
    let clock = ManualClock()
    let handler = TestHandler { _ in
      ServiceResponse(status: 200, body: [ImageBytes([UInt8](repeating: 7, count: 8 << 20))])
    }
    let listener = try listener(clock, handler)
    let client = try ListenerClient(listener.addresses[0], receiveBuffer: 4096)
    client.get("/large")
    await notes.wait { running, _ in running == 1 }
    clock.advance(by: .seconds(3))
    #expect(await client.answer()?.body.count == 8 << 20)
    await notes.wait { _, ended in ended == 1 }
    #expect(notes.durations == [.seconds(3)])
    listener.stopNow()
    await listener.waitForEnd()
  }

  @Test func whoLeavesEndsTheSending() async throws {
    let handler = TestHandler { _ in
      ServiceResponse(status: 200, body: [ImageBytes([UInt8](repeating: 7, count: 8 << 20))])
    }
    let listener = try listener(ManualClock(), handler)
    let client = try ListenerClient(listener.addresses[0], receiveBuffer: 4096)
    client.get("/large")
    await notes.wait { running, _ in running == 1 }
    client.reset()
    await notes.wait { running, ended in running == 0 && ended == 1 }
    listener.stopNow()
    await listener.waitForEnd()
  }
}
