import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The checks of a response: status, type, size and length.
struct ResponseCheckTests {
  let url = URL(string: "http://host/a.toy")!

  @Test(arguments: [(200, true), (204, true), (299, true), (199, false), (300, false), (404, false), (500, false)])
  func statusesFrom200To299AreAcceptedByDefault(_ status: Int, _ isAccepted: Bool) async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes, status: status))
    if isAccepted {
      #expect(try await studio.result(url).response?.status == status)
    } else {
      let failure = await studio.failure(url)
      #expect(failure?.code == .badStatus)
      #expect(failure?.status == status)
    }
  }

  @Test func noRangeAcceptsEveryStatus() async throws {
    let studio = Studio { $0.acceptedStatuses = nil }
    studio.loader.script(url, .body(ToyImage.small.bytes, status: 404))
    #expect(try await studio.result(url).response?.status == 404)
  }

  @Test(arguments: [("image/x-easel-toy; q=1", true), ("IMAGE/X-Easel-Toy", true), ("text/html", false), (nil, false)])
  func typesAreCheckedWhereTheyAreListed(_ type: String?, _ isAccepted: Bool) async throws {
    let studio = Studio { $0.acceptedContentTypes = ["image/x-easel-toy"] }
    let headers: HTTPHeaders = type.map { ["Content-Type": $0] } ?? [:]
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: headers))
    if isAccepted {
      _ = try await studio.result(url)
    } else {
      #expect(await studio.failure(url)?.code == .badContentType)
    }
  }

  @Test func typesAreNotCheckedByDefault() async throws {
    let studio = Studio()
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: ["Content-Type": "text/html"]))
    _ = try await studio.result(url)
  }

  @Test func theStatusIsJudgedBeforeTypeAndSize() async throws {
    let studio = Studio { configuration in
      configuration.acceptedContentTypes = ["image/png"]
      configuration.limits.downloadBytes = 1
    }
    studio.loader.script(url, .body(ToyImage.small.bytes, status: 404), .body(ToyImage.small.bytes))
    #expect(await studio.failure(url)?.code == .badStatus)
    #expect(await studio.failure(url)?.code == .badContentType)
  }

  /// A loader or a modifier may bring any head; what is kept with a picture is bounded.
  @Test(arguments: [0, 1, 2, 3, 4])
  func aHeadOfTooManyBytesIsRefused(kind: Int) async throws {
    let long: HTTPHeaders = ["X-Long": String(repeating: "x", count: 1 << 20)]
    let studio = Studio {
      $0.cachePolicy = .http
      if kind == 3 { $0.responseModifier = .fields(long) }
    }
    let bytes = ToyImage.small.bytes
    var redirected = ResponseHead(status: 200, expectedLength: bytes.count)
    redirected.redirects = (0..<11).map { _ in
      ResponseHead(status: 302, headers: ["Location": String(repeating: "x", count: 100 << 10)])
    }
    var first = FakeLoader.Script.body(bytes, headers: .stale())
    if kind == 4 {
      studio.loader.script(url, first, .notModified(headers: long))
      try await studio.warm(url)
    } else {
      switch kind {
      case 0: first = .body(bytes, headers: long)
      case 1: first = .ready(ToyImage.small.imageBytes, head: ResponseHead(status: 200, headers: long))
      case 2: first.steps[0] = .head(redirected)
      default: break
      }
      studio.loader.script(url, first)
    }
    let failure = await studio.failure(url)
    #expect(failure?.code == .limitExceeded && failure?.message.contains("header fields") == true)
    await studio.settle()
    #expect(studio.disk.entries.count == (kind == 4 ? 1 : 0))
  }

  @Test func aHeadOfUsualSizeIsAccepted() async throws {
    let studio = Studio()
    let long: HTTPHeaders = ["X-Long": String(repeating: "x", count: 1_000_000)]
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: long))
    #expect(try await studio.result(url).response?.headers["X-Long"]?.count == 1_000_000)
  }

  @Test func aBodyAnnouncedTooLargeIsRefusedBeforeItComes() async throws {
    let studio = Studio { $0.limits.downloadBytes = 50 }
    studio.place(.small, chunkSize: 10)
    let failure = await studio.failure(url)
    #expect(failure?.code == .limitExceeded)
    #expect(failure?.message.contains("50 bytes") == true)
    #expect(!studio.observer.names.contains("loaded"))
  }

  @Test(arguments: [false, true]) func aBodyThatGrowsTooLargeIsStopped(_ announcesLittle: Bool) async throws {
    let studio = Studio { $0.limits.downloadBytes = 50 }
    var script = FakeLoader.Script.body(ToyImage.small.bytes, chunkSize: 20, announcesLength: false)
    if announcesLittle { script.steps[0] = .head(ResponseHead(status: 200, expectedLength: 10)) }
    studio.loader.script(url, script)
    #expect(await studio.failure(url)?.code == (announcesLittle ? .invalidResponse : .limitExceeded))
    await studio.loader.waitForEnd(of: url)
    #expect(studio.loader.calls(for: url)[0].phase == .failed)
  }

  @Test func bytesThatLieReadyAreMeasuredToo() async throws {
    let studio = Studio { $0.limits.downloadBytes = 50 }
    studio.loader.script(url, .ready(ToyImage.small.imageBytes))
    #expect(await studio.failure(url)?.code == .limitExceeded)
  }

  @Test func aBodyShorterThanAnnouncedIsTruncated() async throws {
    let studio = Studio()
    var script = FakeLoader.Script.body(ToyImage.small.bytes)
    script.steps[0] = .head(ResponseHead(status: 200, expectedLength: ToyImage.small.bytes.count + 1))
    studio.loader.script(url, script)
    #expect(await studio.failure(url)?.code == .truncatedBody)
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test func anEmptyBodyIsNoPicture() async throws {
    let studio = Studio()
    studio.loader.script(url, .status(200))
    #expect(await studio.failure(url)?.code == .badImageData)
  }

  @Test(arguments: [FakeLoader.Script.notModified(), .status(304)])
  func aNotModifiedThatNobodyAskedForIsAnError(_ script: FakeLoader.Script) async throws {
    let studio = Studio()
    studio.loader.script(url, script, .body(ToyImage.small.bytes))
    let failure = await studio.failure(url)
    #expect(failure?.code == .notModified)
    #expect(failure?.status == 304)
    // The URL is not blocked.
    _ = try await studio.result(url)
  }

  @Test func aLoaderThatBringsNoHeadIsAnError() async throws {
    let studio = Studio()
    studio.loader.script(url, FakeLoader.Script())
    #expect(await studio.failure(url)?.code == .network)
  }

  @Test(arguments: ["", "http://[bad"]) func aTextThatIsNoURLNeverStarts(_ text: String) async throws {
    let studio = Studio()
    await #expect { try await studio.manager.image(for: ImageRequest(text)) } throws: {
      ($0 as? ImageError)?.code == .invalidURL
    }
    #expect(await studio.failure(nil)?.code == .invalidURL)
    #expect(studio.loader.callCount == 0)
    #expect(studio.manager.cachedImage(for: nil) == nil)
  }

  @Test func aSchemeThatNoLoaderTakesIsUnsupported() async throws {
    let studio = Studio()
    #expect(await studio.failure(URL(string: "gopher://host/a"))?.code == .unsupportedURL)
  }
}
