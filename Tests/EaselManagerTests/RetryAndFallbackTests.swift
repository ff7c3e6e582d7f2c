import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Retries of a load, and fallback URLs.
struct RetryAndFallbackTests {
  let url = URL(string: "http://host/a.toy")!
  let second = URL(string: "http://mirror/a.toy")!
  let third = URL(string: "http://other/a.toy")!

  @Test func thereIsNoOtherAttemptByDefault() async throws {
    let studio = Studio()
    studio.loader.script(url, .failure(ImageError(.network, "Lost.")), .body(ToyImage.small.bytes))
    #expect(await studio.failure(url)?.code == .network)
    #expect(studio.loader.callCount == 1)
  }

  @Test func attemptsWaitAsThePolicySaysAndModifiersRunForEach() async throws {
    let policy = FakeRetryPolicy(.retry(after: .seconds(1)), .retry(after: .seconds(4)))
    let request = FakeRequestModifier(cacheIdentity: .plain)
    let response = FakeResponseModifier(cacheIdentity: .plain)
    let studio = Studio {
      $0.retryPolicy = policy
      $0.requestModifier = request
      $0.responseModifier = response
    }
    studio.loader.script(
      url, .failure(ImageError(.network, "Lost.")), .status(503), .body(ToyImage.small.bytes))
    let task = studio.manager.load(url)
    for delay in [Duration.seconds(1), .seconds(4)] {
      await studio.clock.waitForSleepers()
      #expect(studio.clock.remainingSleeps == [delay])
      studio.clock.advance(by: delay)
    }
    _ = try await task.image
    #expect(policy.attempts == [1, 2])
    #expect(policy.errors.map(\.code) == [.network, .badStatus])
    #expect(request.requests.count == 3 && response.heads.count == 2)
    #expect(studio.observer.names.filter { $0 == "loading" }.count == 3)
    #expect(studio.observer.names.filter { $0 == "retrying" }.count == 2)
  }

  @Test func aLoadThatFailsAtOnceAsksTheLoaderOnce() async throws {
    let studio = Studio()
    for number in 1...100 {
      let url = URL(string: "http://host/\(number)")!
      studio.loader.script(url, .status(404))
      _ = await studio.failure(url, [], [.thumbnailSize(PixelSize(width: 2, height: 2))])
      #expect(studio.loader.callCount == number)
    }
    #expect(studio.isAtRest)
  }

  @Test func whoGivesUpGetsTheLastError() async throws {
    let studio = Studio { $0.retryPolicy = FakeRetryPolicy(.retry(after: .zero)) }
    studio.loader.script(url, .failure(ImageError(.network, "Lost.")), .status(404))
    #expect(await studio.failure(url)?.status == 404)
    #expect(studio.loader.callCount == 2)
  }

  @Test func oneCallersPatienceIsNotAnothers() async throws {
    let studio = Studio()
    studio.loader.script(url, .failure(ImageError(.network, "Lost.")))
    studio.loader.suspend(url)
    let patient = studio.manager.load(url, context: [.retryPolicy(FakeRetryPolicy(.retry(after: .seconds(9))))])
    let hasty = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url, count: 2)
    studio.loader.resume(url)
    await #expect { try await hasty.image } throws: { ($0 as? ImageError)?.code == .network }
    await studio.clock.waitForSleepers()
    patient.cancel()
  }

  @Test func otherPlacesAreAskedInTurn() async throws {
    let studio = Studio()
    studio.loader.script(url, .status(404))
    studio.loader.script(second, .body([1]))
    studio.place(.small, at: third.absoluteString)
    var request = ImageRequest(url: url)
    request.fallbackURLs = [second, third, url]
    let result = try await studio.manager.result(for: request)
    #expect(result.key.original == third.absoluteString)
    #expect([url, second, third].map(studio.loader.callCount) == [1, 1, 1])
  }

  @Test(arguments: ["", "http://host/a b|c"]) func whereThereIsNoURLTheOtherPlacesAreAsked(_ text: String) async throws
  {
    let studio = Studio()
    studio.loader.script(second, .status(404))
    studio.place(.small, at: third.absoluteString)
    var request = ImageRequest(url: text.isEmpty ? nil : URL(string: text))
    request.fallbackURLs = [second, third]
    let result = try await studio.manager.result(for: request)
    #expect(result.key.original == third.absoluteString)
    #expect(studio.observer.names.first == "started")
    #expect(studio.observer.names.filter { $0 == "started" || $0 == "succeeded" }.count == 2)
    request.fallbackURLs = [second]
    let failure = await #expect(throws: ImageError.self) { try await studio.manager.image(for: request) }
    #expect(failure?.causes.count == 2)
    if text.isEmpty { #expect(failure?.code == .invalidURL) }
  }

  @Test func bytesAreAskedForInTurnToo() async throws {
    let studio = Studio()
    studio.loader.script(url, .status(404))
    studio.place(.small, at: third.absoluteString)
    for first in [url, nil] {
      var request = ImageRequest(url: first, options: .fromLoaderOnly)
      request.fallbackURLs = [third]
      #expect(try await studio.manager.bytes(for: request).data() == ToyImage.small.imageBytes.data())
    }
    #expect(!studio.manager.isRunning)
  }

  @Test func allCausesAreKept() async throws {
    let studio = Studio()
    studio.loader.script(url, .status(404))
    studio.loader.script(second, .failure(ImageError(.network, "Lost.")))
    studio.loader.script(third, .body([1]))
    var request = ImageRequest(url: url)
    request.fallbackURLs = [second, third]
    let failure = await #expect(throws: ImageError.self) { try await studio.manager.image(for: request) }
    #expect(failure?.code == .badStatus && failure?.status == 404)
    #expect(failure?.causes.map { ($0 as? ImageError)?.code } == [.badStatus, .network, .unsupportedFormat])
    #expect(failure?.subject == url.absoluteString)
    #expect(studio.observer.names.filter { $0 == "failed" }.count == 1)
  }

  @Test func aLoadThatIsGivenUpAsksNoOtherPlace() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.loader.suspend(url)
    var request = ImageRequest(url: url)
    request.fallbackURLs = [second]
    let task = studio.manager.load(request)
    await studio.loader.waitUntilSuspended(url)
    task.cancel()
    await #expect { try await task.image } throws: { ($0 as? ImageError)?.code == .cancelled }
    #expect(studio.loader.callCount(for: second) == 0)
  }
}
