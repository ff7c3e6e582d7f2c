import EaselCore
import EaselManager
import EaselTestSupport
import EaselTiers
import FoundationEssentials
import Testing

@testable import EaselObserving
@testable import EaselService

/// The metrics that come from the events of a manager.
struct LoadEventsTests {
  private let metrics = ServiceMetrics(version: "1", formats: .tested)

  private func tell(_ kind: ImageEvent.Kind, load: UInt64 = 1, run: UInt64? = nil, joined: Bool = false) {
    metrics.observe(ImageEvent(kind, load: load, run: run, isJoined: joined))
  }

  private func value(_ name: String, _ labels: [String: String] = [:]) throws -> Double? {
    try MetricsChecker(metrics.text()).value(name, labels)
  }

  @Test func keepsTheContractOfObservers() async {
    #expect(await ImageObserverContract(metrics).check().isEmpty)
  }

  @Test func lookupsAreCounted() throws {
    tell(.cacheHit(.memory))
    tell(.cacheHit(.disk))
    tell(.cacheMiss)
    tell(.cacheFailed(ImageError(.cacheFailed, "Broken.")))
    func count(_ layer: String, _ result: String) throws -> Double? {
      try value("easel_cache_total", ["layer": layer, "result": result])
    }
    #expect(try count("memory", "hit") == 1 && count("memory", "miss") == 2)
    #expect(try count("disk", "hit") == 1 && count("disk", "miss") == 1 && count("disk", "error") == 1)
    #expect(try count("shared", "hit") == 0)
  }

  @Test func theSharedStoreTellsOfItselfAndIsNoTroubleOfTheDisk() throws {
    func count(_ layer: String, _ result: String) throws -> Double? {
      try value("easel_cache_total", ["layer": layer, "result": result])
    }
    var trouble = ImageError(.cacheFailed, "Too slow.")
    trouble.sharedStoreTrouble = .failed
    for event in [TieredCache.SharedStoreEvent.hit, .hit, .miss, .failed(trouble), .opened] { metrics.observe(event) }
    tell(.cacheHit(.shared))
    tell(.cacheFailed(trouble))
    #expect(try count("shared", "hit") == 2 && count("shared", "miss") == 1 && count("shared", "error") == 1)
    #expect(try count("disk", "error") == 0 && count("disk", "miss") == 1)
    #expect(try value("easel_shared_breaker_open") == 1)
    metrics.observe(TieredCache.SharedStoreEvent.closed)
    #expect(try value("easel_shared_breaker_open") == 0)
  }

  @Test func claimsAreCountedOnceForAllWhoWait() throws {
    for load in UInt64(1)...3 { tell(.claimed(.variant, .handedOver), load: load, run: 4, joined: load > 1) }
    tell(.claimed(.variant, .won), run: 5)
    tell(.claimed(.transfer, .unanswered), run: 6)
    tell(.claimed(.transfer, .failed), run: 7)
    tell(.claimed(.transfer, .goAhead), run: 8)
    func count(_ kind: String, _ result: String) throws -> Double? {
      try value("easel_claims_total", ["kind": kind, "result": result])
    }
    #expect(try count("variant", "handed_over") == 1 && count("variant", "won") == 1)
    #expect(try count("transfer", "unanswered") == 1 && count("transfer", "failed") == 1)
    #expect(try count("transfer", "go_ahead") == 1)
    #expect(try value("easel_flight_total", ["role": "remote", "outcome": "success"]) == 1)
    #expect(try value("easel_flight_total", ["role": "remote", "outcome": "failure"]) == 1)
  }

  @Test func lookupsAreMeasuredOnceForAllWhoShareThem() throws {
    let clock = ManualClock()
    let metrics = ServiceMetrics(version: "1", clock: clock)
    func tell(_ kind: ImageEvent.Kind, load: UInt64, run: UInt64? = nil) {
      metrics.observe(ImageEvent(kind, load: load, run: run))
    }
    func value(_ name: String) throws -> Double? {
      try MetricsChecker(metrics.text()).value(name, ["stage": "lookup"])
    }
    for load in UInt64(1)...5 { tell(.started, load: load) }
    #expect(try value("easel_in_flight") == 5)
    clock.advance(by: .milliseconds(40))
    // Two share a lookup; a second one of the same load, for its original, belongs to the first.
    for load in UInt64(1)...2 { tell(.cacheMiss, load: load, run: 7) }
    tell(.cacheHit(.disk), load: 3, run: 8)
    tell(.cacheMiss, load: 3, run: 8)
    // One asks no cache, and one leaves before it has an answer.
    tell(.loading(attempt: 1), load: 4, run: 9)
    tell(.failed(.cancelled()), load: 5)
    #expect(try value("easel_request_seconds_count") == 2 && value("easel_request_seconds_sum") == 0.08)
    #expect(try value("easel_in_flight") == 0)
    for load in UInt64(1)...4 { tell(.succeeded(.network), load: load) }
    #expect(metrics.events.loadCount == 0)
  }

  @Test func transfersThatRunAreCounted() throws {
    func running() throws -> Double? { try value("easel_in_flight", ["stage": "download"]) }
    for load in UInt64(1)...3 { tell(.loading(attempt: 1), load: load, run: 7, joined: load > 1) }
    tell(.loading(attempt: 1), load: 4, run: 8)
    #expect(try running() == 2)
    tell(.loading(attempt: 2), load: 4, run: 8)
    tell(.failed(.cancelled()), load: 1)
    #expect(try running() == 2)
    for load in UInt64(2)...3 { tell(.loaded(byteCount: 1, nil), load: load, run: 7) }
    #expect(try running() == 1)
    for load in UInt64(1)...4 { tell(.succeeded(.network), load: load) }
    #expect(try running() == 0)
  }

  @Test func aCrashIsCountedOnceWithItsFormat() throws {
    func crashes(_ format: String) throws -> Double? { try value("easel_decoder_crashes_total", ["format": format]) }
    for load in UInt64(1)...3 {
      tell(.loading(attempt: 1), load: load, run: 7, joined: load > 1)
      tell(.failed(ImageError(.decoderCrashed, "It crashed.", cause: DecoderCrash(of: "heif"))), load: load)
    }
    tell(.failed(ImageError(.decoderCrashed, "It crashed.", cause: DecoderCrash(of: "new"))), load: 4)
    tell(.failed(ImageError(.decoderCrashed, "It was ended from outside.")), load: 6)
    tell(.failed(ImageError(.badImageData, "It is damaged.")), load: 5)
    #expect(try crashes("heic") == 1 && crashes("other") == 1 && crashes("png") == 0)
  }

  @Test func workIsCountedOnceForAllWhoShareIt() throws {
    for load in UInt64(1)...5 {
      let joined = load > 1
      tell(.loaded(byteCount: 1000, LoadResult.Metrics(total: .milliseconds(20))), load: load, run: 7, joined: joined)
      tell(.decoded(PixelSize(width: 1, height: 1), .milliseconds(30)), load: load, run: 8, joined: joined)
      tell(.transformed(key: "A", .milliseconds(2)), load: load, run: 9, joined: joined)
      tell(.transformed(key: "B", .milliseconds(2)), load: load, run: 9, joined: joined)
      tell(.encoded(.webp, byteCount: 10, .milliseconds(9)), load: load, run: 10, joined: joined)
    }
    #expect(try value("easel_source_bytes_total") == 1000)
    for (stage, count) in [("download", 1), ("decode", 1), ("transform", 2), ("encode", 1)] {
      #expect(try value("easel_request_seconds_count", ["stage": stage]) == Double(count), "\(stage)")
    }
    #expect(try value("easel_request_seconds_sum", ["stage": "decode"]) == 0.03)
  }

  @Test func theLeaderNeedNotBeTheOneWhoIsLeft() throws {
    // The load that began the run was cancelled; only its follower hears of the decode.
    tell(.decoded(PixelSize(width: 1, height: 1), .milliseconds(30)), load: 2, run: 7, joined: true)
    #expect(try value("easel_request_seconds_count", ["stage": "decode"]) == 1)
  }

  @Test func workOfOneLoadAloneCountsEachTime() throws {
    tell(.decoded(PixelSize(width: 1, height: 1), .milliseconds(30)))
    tell(.decoded(PixelSize(width: 1, height: 1), .milliseconds(30)))
    #expect(try value("easel_request_seconds_count", ["stage": "decode"]) == 2)
  }

  @Test func leadersAndFollowersAreTold() throws {
    for load in UInt64(1)...3 {
      tell(.started, load: load)
      tell(.loading(attempt: 1), load: load, run: 5, joined: load > 1)
    }
    // A load that joined a transfer and leads its own decode is a leader.
    tell(.decoded(PixelSize(width: 1, height: 1), .zero), load: 3, run: 6)
    tell(.succeeded(.network), load: 1)
    tell(.failed(ImageError(.badImageData, "Bad.")), load: 2)
    tell(.failed(.cancelled()), load: 3)
    tell(.succeeded(.memory), load: 4)
    func count(_ role: String, _ outcome: String) throws -> Double? {
      try value("easel_flight_total", ["role": role, "outcome": outcome])
    }
    #expect(try count("leader", "success") == 1 && count("follower", "failure") == 1)
    #expect(try count("leader", "cancelled") == 1 && count("follower", "success") == 0)
    #expect(try value("easel_errors_total", ["code": "badImageData"]) == 1)
    #expect(try value("easel_errors_total", ["code": "cancelled"]) == 1)
    #expect(metrics.events.loadCount == 0)
  }

  @Test func lateEventsLeaveNothingBehind() {
    tell(.succeeded(.network), load: 1)
    tell(.stored(CacheKey(original: "k"), .disk), load: 1, run: 5)
    tell(.cacheFailed(ImageError(.cacheFailed, "Broken.")), load: 1, run: 5)
    #expect(metrics.events.loadCount == 0, "Stores are reported after the end of their load.")
  }

  @Test func onlyTheLatestPiecesAreRemembered() {
    let events = LoadEvents(capacity: 3)
    func isFirst(_ run: UInt64) -> Bool {
      events.isFirst(ImageEvent(.cacheMiss, run: run), .decoded)
    }
    #expect([1, 2, 3].allSatisfy(isFirst) && ![1, 2, 3].contains(where: isFirst))
    #expect(isFirst(4) && isFirst(1), "The oldest was forgotten.")
    #expect(!isFirst(3) && !isFirst(4))
  }

  /// A real manager, many callers, one picture.
  @Test func aManagerFeedsTheMetrics() async throws {
    let loader = FakeLoader()
    let recorder = RecordingObserver()
    var configuration = ImageManager.Configuration(
      loader: LoaderChain([loader]), coder: CoderRegistry([ToyCoder()]),
      cache: TieredCache(memory: RecordingMemoryStore(), disk: RecordingDiskStore()))
    configuration.observer = .closure { [metrics] event in
      metrics.observe(event)
      recorder.observe(event)
    }
    let manager = ImageManager(configuration)
    let picture = ToyImage(width: 8, height: 6, seed: 7)
    let url = try #require(URL(string: "http://host/a.toy"))
    loader.script(url, .body(picture.bytes))
    loader.suspend(url)
    let tasks = (0..<5).map { _ in Task { try await manager.image(for: url) } }
    await loader.waitUntilSuspended(url)
    await recorder.wait(for: "started", count: 5)
    loader.resume(url)
    for task in tasks { _ = try await task.value }
    await recorder.wait(for: "succeeded", count: 5)
    #expect(try value("easel_source_bytes_total") == Double(picture.bytes.count))
    #expect(try value("easel_request_seconds_count", ["stage": "decode"]) == 1)
    #expect(try value("easel_flight_total", ["role": "leader", "outcome": "success"]) == 1)
    #expect(try value("easel_errors_total", ["code": "network"]) == 0)
    await recorder.wait(for: "stored", count: 1)
    #expect(metrics.events.loadCount == 0)
    // A hit in memory takes part in no flight.
    _ = try await manager.image(for: url)
    #expect(try value("easel_flight_total", ["role": "leader", "outcome": "success"]) == 1)
    #expect(try value("easel_cache_total", ["layer": "memory", "result": "hit"]) ?? 0 >= 1)
  }
}
