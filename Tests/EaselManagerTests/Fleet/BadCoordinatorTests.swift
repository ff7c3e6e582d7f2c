import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Coordinators that break their rules.
struct BadCoordinatorTests {
  /// A coordinator that gives one answer, as soon as its gate is open.
  private final class OneAnswer: FlightCoordinator {
    let gate = AsyncGate(isOpen: true)
    private let isDeaf: Bool
    private let answer: FlightKey.Answer
    private let calls = Watched(0)

    init(_ answer: FlightKey.Answer, isDeaf: Bool = false) {
      self.answer = answer
      self.isDeaf = isDeaf
    }

    var callCount: Int { calls.withLock { $0 } }

    func waitForCalls(_ count: Int) async { await calls.wait { $0 >= count } }

    func claim(_ key: FlightKey, within limit: Duration) async -> FlightKey.Answer {
      calls.withLock { $0 += 1 }
      if isDeaf { try? await Task.detached { [gate] in try await gate.pass() }.value } else { try? await gate.pass() }
      return answer
    }
  }

  /// A claim that counts its ends.
  private final class CountedClaim: FlightClaim {
    let ends = Watched<[String]>([])

    func end(_ outcome: FlightKey.Result) async {
      ends.withLock { ends in
        switch outcome {
        case .stored: ends.append("stored")
        case .failed: ends.append("failed")
        case .abandoned: ends.append("abandoned")
        }
      }
    }
  }

  private func fleet(_ coordinator: any FlightCoordinator) -> Fleet { Fleet(of: 1) { $0.coordinator = coordinator } }

  @Test func oneThatNeverAnswersIsLeftAloneSoon() async throws {
    let coordinator = OneAnswer(.goAhead)
    coordinator.gate.close()
    let fleet = fleet(coordinator)
    var number = 0
    while coordinator.callCount < 5 {
      let url = fleet.place(at: "http://host/\(number).toy")
      number += 1
      let load = Task { try await fleet[0].encoded(url) }
      let before = coordinator.callCount
      while coordinator.callCount == before || fleet.clock.sleeperCount == 0 { await Task.yield() }
      fleet.clock.advance(by: .milliseconds(10_100))
      while coordinator.callCount < 5, coordinator.callCount == before + 1 { await Task.yield() }
      if coordinator.callCount < 5 || fleet.clock.sleeperCount > 0 {
        while fleet.clock.sleeperCount == 0, coordinator.callCount < 5 { await Task.yield() }
        fleet.clock.advance(by: .milliseconds(10_100))
      }
      #expect(try await load.value.source == .network)
    }
    let calls = coordinator.callCount
    _ = try await fleet[0].encoded(fleet.place(at: "http://host/last.toy"))
    #expect(coordinator.callCount == calls)
    // One call tries if it is back, and nobody waits for it.
    fleet.clock.advance(by: .seconds(5))
    _ = try await fleet[0].encoded(fleet.place(at: "http://host/trial.toy"))
    await coordinator.waitForCalls(calls + 1)
    coordinator.gate.open()
    while coordinator.callCount == calls + 1 {
      number += 1
      _ = try await fleet[0].encoded(fleet.place(at: "http://host/\(number).toy"))
    }
    await fleet[0].settle()
  }

  @Test func aClaimThatComesTooLateIsGivenUp() async throws {
    let claim = CountedClaim()
    let coordinator = OneAnswer(.yours(claim), isDeaf: true)
    coordinator.gate.close()
    let fleet = fleet(coordinator)
    let url = fleet.place()
    let load = Task { try await fleet[0].manager.bytes(for: ImageRequest(url: url)) }
    await coordinator.gate.waitForWaiters()
    await fleet.clock.waitForSleepers()
    fleet.clock.advance(by: .milliseconds(10_100))
    #expect(try await load.value.count == ToyImage.small.bytes.count)
    coordinator.gate.open()
    await claim.ends.wait { !$0.isEmpty }
    await fleet[0].settle()
    #expect(claim.ends.withLock { $0 } == ["abandoned"])
  }

  @Test func aClaimEndsOnce() async throws {
    for (options, status, expected) in [
      (ImageOptions(), 200, ["stored", "stored"]), ([], 404, ["failed", "failed"]),
      ([], 500, ["abandoned", "abandoned"]),
    ] {
      let claim = CountedClaim()
      let fleet = fleet(OneAnswer(.yours(claim)))
      let url = fleet.place()
      if status != 200 { fleet.loader.script(url, .status(status)) }
      _ = try? await fleet[0].encoded(url, as: .print, options)
      await claim.ends.wait { $0.count >= 2 }
      await fleet[0].settle()
      #expect(claim.ends.withLock { $0 } == expected)
    }
  }

  @Test func responsesThatStayHereAbandonTheClaim() async throws {
    let claim = CountedClaim()
    let fleet = fleet(OneAnswer(.yours(claim)))
    _ = try await fleet[0].encoded(fleet.place(headers: ["Cache-Control": "private"]))
    await claim.ends.wait { $0.count >= 2 }
    #expect(claim.ends.withLock { $0 } == ["abandoned", "abandoned"])
    await fleet[0].settle()
  }

  @Test func readyEntriesAreNotTrustedBlindly() async throws {
    let liar = ToyImage(width: 3, height: 3, seed: 99)
    let entries = [
      CacheEntry(record: .sample()), CacheEntry(bytes: ImageBytes([1]), record: .sample()),
      CacheEntry(bytes: liar.imageBytes, record: .sample()),
    ]
    for entry in entries {
      let fleet = fleet(OneAnswer(.ready(entry)))
      let url = fleet.place()
      let result = try await fleet[0].encoded(url, as: .toy)
      #expect(result.source == .network && result.size == PixelSize(width: 8, height: 6))
      await fleet[0].settle()
    }
  }

  @Test func errorsOfOneMachineAreNotBelieved() async throws {
    let fleet = fleet(OneAnswer(.failed(ImageError(.timedOut, "Too slow."))))
    #expect(try await fleet[0].encoded(fleet.place()).source == .network)
    await fleet[0].settle()
  }
}
