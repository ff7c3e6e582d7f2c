import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The options that control loading, each with its effect.
struct LoadingOptionTests {
  let url = URL(string: "http://host/a.toy")!

  @Test func retryFailedPassesTheListAndASuccessTakesTheURLOffIt() async throws {
    let studio = Studio()
    studio.loader.script(url, .body([1, 2, 3]), .body([1, 2, 3]), .body(ToyImage.small.bytes))
    #expect(await studio.failure(url)?.code == .unsupportedFormat)
    #expect(await studio.failure(url)?.code == .blockedURL)
    #expect(studio.loader.callCount == 1)
    #expect(await studio.failure(url, .retryFailed)?.code == .unsupportedFormat)
    #expect(await studio.failure(url)?.code == .blockedURL)
    try await studio.warm(url, .retryFailed)
    // The success took the URL off the list, so a load without any cache is not blocked.
    _ = try await studio.result(url, .fromLoaderOnly)
    #expect(studio.loader.callCount == 4)
  }

  private static let priorities: [(ImageOptions, LoadPriority)] = [
    (.lowPriority, .low), (.highPriority, .high), ([.lowPriority, .highPriority], .high), ([], .veryHigh),
  ]

  @Test(arguments: priorities)
  func thePriorityIsTheOptionsBeforeTheRequests(_ options: ImageOptions, _ priority: LoadPriority) async throws {
    let studio = Studio()
    studio.place(.small)
    studio.loader.suspend(url)
    var request = ImageRequest(url: url, options: options)
    request.priority = .veryHigh
    let task = studio.manager.load(request)
    await studio.loader.waitForStart(of: url)
    await studio.loader.waitForPriority(priority, of: url)
    #expect(task.priority == priority)
    studio.loader.resume(url)
    _ = try await task.image
  }

  @Test func thePriorityFollowsWhatTheProcessorAdds() async throws {
    let studio = Studio { $0.optionsProcessor = FakeOptionsProcessor(adding: .lowPriority) }
    studio.place(.small)
    studio.loader.suspend(url)
    let task = studio.manager.load(url)
    await studio.loader.waitForPriority(.low, of: url)
    task.priority = .veryHigh
    await studio.loader.waitForPriority(.veryHigh, of: url)
    studio.loader.resume(url)
    _ = try await task.image
  }

  @Test func cookiesAndCertificatesReachTheLoaderAndTheKey() async throws {
    let studio = Studio()
    studio.place(.small)
    let plain = try await studio.result(url)
    let cookies = try await studio.result(url, .handleCookies)
    let certificates = try await studio.result(url, .allowInvalidCertificates)
    let requests = studio.loader.calls(for: url).map(\.request)
    #expect(requests.map(\.handlesCookies) == [false, true, false])
    #expect(requests.map(\.allowsInvalidCertificates) == [false, false, true])
    #expect(Set([plain.key, cookies.key, certificates.key]).count == 3)
  }

  @Test func fromCacheOnlyNeverLoads() async throws {
    let studio = Studio()
    studio.place(.small)
    #expect(await studio.failure(url, .fromCacheOnly)?.code == .notInCache)
    #expect(studio.loader.callCount == 0)
    try await studio.warm(url)
    studio.memory.removeAll()
    #expect(try await studio.result(url, .fromCacheOnly).source == .disk)
    #expect(try await studio.result(url, .fromCacheOnly).source == .memory)
    #expect(try await studio.result(url, [.fromCacheOnly, .refreshCached]).source == .memory)
    #expect(studio.loader.callCount == 1)
    // The failure does not block the URL for others.
    #expect(await studio.failure(URL(string: "http://host/b.toy"), .fromCacheOnly)?.code == .notInCache)
  }

  @Test func fromLoaderOnlyAsksNoCacheAndStores() async throws {
    let studio = Studio()
    studio.place(.small)
    let key = try await studio.warm(url).key
    studio.forgetCalls()
    #expect(try await studio.warm(url, .fromLoaderOnly).source == .network)
    #expect(studio.loader.callCount == 2)
    #expect(!studio.memory.calls.contains(.query(key)) && !studio.disk.calls.contains(.query(key)))
    #expect(studio.memory.calls.contains(.store(key)) && studio.disk.calls.contains(.store(key)))
  }

  @Test func continueInBackgroundOutlivesTheManagersEnd() async throws {
    let studio = Studio()
    let other = studio.place(.small, at: "http://host/b.toy")
    studio.place(.small)
    studio.loader.suspend(url)
    studio.loader.suspend(other)
    let patient = studio.manager.load(url, options: .continueInBackground)
    let hasty = studio.manager.load(other)
    await studio.loader.waitUntilSuspended(url)
    await studio.loader.waitUntilSuspended(other)
    async let closed: Void = studio.manager.close()
    await #expect { try await hasty.image } throws: { ($0 as? ImageError)?.code == .cancelled }
    studio.loader.resume(url)
    _ = try await patient.image
    await closed
    #expect(await studio.failure(other)?.code == .cancelled)
    #expect(studio.isAtRest)
  }

  @Test func theProcessorMayAskForTheBackgroundToo() async throws {
    let studio = Studio { $0.optionsProcessor = FakeOptionsProcessor(adding: .continueInBackground) }
    studio.place(.small)
    studio.loader.suspend(url)
    let task = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url)
    async let closed: Void = studio.manager.close()
    await studio.clock.waitForSleepers()
    studio.loader.resume(url)
    _ = try await task.image
    await closed
  }

  @Test func theDeadlineEndsWhatContinuesInTheBackground() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.loader.suspend(url)
    let task = studio.manager.load(url, options: .continueInBackground)
    await studio.loader.waitUntilSuspended(url)
    async let closed: Void = studio.manager.close(within: .seconds(5))
    await studio.clock.waitForSleepers()
    #expect(studio.manager.isRunning)
    studio.clock.advance(by: .seconds(5))
    await closed
    await #expect { try await task.image } throws: { ($0 as? ImageError)?.code == .cancelled }
  }

  @Test func closingWaitsForStoresThatHaveBegun() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.disk.suspend(.store)
    let key = try await studio.result(url).key
    await studio.disk.waitUntilSuspended(.store)
    async let closed: Void = studio.manager.close()
    studio.disk.resume(.store)
    await closed
    #expect(studio.disk.entries[key] != nil)
  }
}
