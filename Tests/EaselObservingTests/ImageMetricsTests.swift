import EaselCore
import EaselTestSupport
import Testing

@testable import EaselObserving

struct ImageMetricsTests {
  private func lines(_ metrics: ImageMetrics) -> Set<Substring> { Set(metrics.text().split(separator: "\n")) }

  @Test func keepsTheContractOfObservers() async {
    #expect(await ImageObserverContract(ImageMetrics()).check().isEmpty)
  }

  @Test func theNamesAreStable() {
    let text = ImageMetrics().text()
    let types = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { $0.dropFirst(7) }
    #expect(
      types == [
        "easel_loads counter", "easel_load_sources counter", "easel_load_errors counter",
        "easel_load_seconds histogram",
        "easel_stage_seconds histogram", "easel_loads_in_flight gauge", "easel_lookups counter", "easel_claims counter",
        "easel_transfers counter",
        "easel_retries counter", "easel_joined_loads counter", "easel_loaded_bytes counter", "easel_stores counter",
        "easel_cache_failures counter", "easel_lost_threads counter",
      ])
    #expect(text.hasSuffix("\n# EOF\n"))
    #expect(ImageMetrics.contentType == "application/openmetrics-text; version=1.0.0; charset=utf-8")
  }

  @Test func claimsAreCountedOnceForAllWhoWait() {
    let metrics = ImageMetrics()
    for load in UInt64(1)...3 {
      metrics.observe(ImageEvent(.claimed(.variant, .handedOver), load: load, run: 4, isJoined: load > 1))
    }
    metrics.observe(ImageEvent(.claimed(.transfer, .won), run: 5))
    let text = metrics.text()
    #expect(text.contains("easel_claims_total{kind=\"variant\",result=\"handed_over\"} 1\n"))
    #expect(text.contains("easel_claims_total{kind=\"transfer\",result=\"won\"} 1\n"))
  }

  @Test func oneLoadIsTimedAndCounted() {
    let clock = ManualClock()
    let metrics = ImageMetrics(clock: clock)
    metrics.observe(ImageEvent(.started, load: 7))
    #expect(lines(metrics).contains("easel_loads_in_flight 1"))
    clock.advance(by: .milliseconds(20))
    metrics.observe(ImageEvent(.decoded(PixelSize(width: 1, height: 1), .milliseconds(3)), load: 7, run: 1))
    metrics.observe(ImageEvent(.succeeded(.disk), load: 7))
    let all = lines(metrics)
    #expect(all.contains("easel_loads_in_flight 0") && all.contains("easel_loads_total{result=\"success\"} 1"))
    #expect(all.contains("easel_load_sources_total{source=\"disk\"} 1"))
    #expect(all.contains("easel_load_seconds_bucket{result=\"success\",le=\"0.01\"} 0"))
    #expect(all.contains("easel_load_seconds_bucket{result=\"success\",le=\"0.025\"} 1"))
    #expect(all.contains("easel_stage_seconds_sum{stage=\"decode\"} 0.003"))
  }

  @Test func sharedWorkCountsOnce() async throws {
    let metrics = ImageMetrics()
    let studio = LoadStudio(metrics)
    studio.loader.suspend(LoadStudio.url)
    let tasks = (0..<5).map { _ in studio.load() }
    await studio.loader.waitUntilSuspended(LoadStudio.url)
    #expect(lines(metrics).contains("easel_loads_in_flight 5"))
    studio.loader.resume(LoadStudio.url)
    for task in tasks { _ = try await task.result }
    let all = lines(metrics)
    #expect(all.contains("easel_loads_total{result=\"success\"} 5") && all.contains("easel_transfers_total 1"))
    #expect(all.contains("easel_stage_seconds_count{stage=\"decode\"} 1"))
    #expect(all.contains("easel_joined_loads_total 4") && all.contains("easel_loads_in_flight 0"))
    #expect(!metrics.text().contains("host") && !metrics.text().contains("secret"))
  }

  @Test func failuresAndCancellations() async throws {
    let metrics = ImageMetrics()
    let studio = LoadStudio(metrics)
    studio.loader.script(LoadStudio.url, .body([1, 2, 3]))
    await #expect(throws: ImageError.self) { try await studio.load().result }
    studio.loader.suspend(LoadStudio.url)
    let task = studio.load(.retryFailed)
    await studio.loader.waitUntilSuspended(LoadStudio.url)
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.result }
    let all = lines(metrics)
    #expect(all.contains("easel_loads_total{result=\"failure\"} 1"))
    #expect(all.contains("easel_loads_total{result=\"cancelled\"} 1"))
    #expect(all.contains("easel_load_errors_total{code=\"unsupportedFormat\"} 1"))
    #expect(all.contains("easel_loads_in_flight 0"))
  }

  @Test func whatIsRememberedIsBounded() {
    let events = RepeatedEvents(capacity: 3)
    for load in UInt64(1)...100 {
      events.begin(load, at: .zero)
      #expect(events.isNews(ImageEvent(.cacheMiss, load: load, run: load)))
      #expect(events.end(load) != nil && events.loadCount == 0)
    }
    #expect(events.end(1) == nil)
  }

  @Test func whoJoinsLateIsToldOfThePastAndItIsNoNews() {
    let events = RepeatedEvents()
    events.begin(1, at: .zero)
    let kinds: [ImageEvent.Kind] = [
      .loading(attempt: 1), .retrying(after: .zero, ImageError(.network, "Failed.")), .loading(attempt: 2),
    ]
    for kind in kinds { #expect(events.isNews(ImageEvent(kind, load: 1, run: 9))) }
    events.begin(2, at: .zero)
    for kind in kinds { #expect(!events.isNews(ImageEvent(kind, load: 2, run: 9, isJoined: true))) }
    // The first leaves, and the second hears the rest.
    #expect(events.isNews(ImageEvent(.loaded(byteCount: 1, nil), load: 2, run: 9, isJoined: true)))
    #expect(events.end(2)?.hasJoined == true && events.end(1)?.hasJoined == false)
  }
}
