import EaselTestSupport
import EaselTransformers
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselService

/// Answers to requests that get no picture.
struct ErrorAnswerTests {
  private static let url = ServiceStudio.source

  private static let statuses: [(ImageError, Int)] = [
    (ImageError(.invalidURL, "x"), 404), (ImageError(.forbiddenAddress, "x"), 403), (ImageError(.refusedURL, "x"), 403),
    (ImageError(.badImageData, "x"), 422), (ImageError(.decoderCrashed, "x"), 422),
    (ImageError(.unsupportedFormat, "x"), 415),
    (ImageError(.limitExceeded, "x"), 422), (.tooLong("x", subject: nil), 413), (.exhausted("x"), 503),
    (ImageError(.timedOut, "x"), 504), (ImageError(.network, "x"), 502), (ImageError(.truncatedBody, "x"), 502),
    (ImageError(.overloaded, "x"), 503), (ImageError(.cacheFailed, "x"), 500), (ImageError(.cancelled, "x"), 499),
    (ImageError(.badStatus, "x", response: ResponseHead(status: 404)), 404),
    (ImageError(.badStatus, "x", response: ResponseHead(status: 410)), 404),
    (ImageError(.badStatus, "x", response: ResponseHead(status: 403)), 404),
    (ImageError(.badStatus, "x", response: ResponseHead(status: 500)), 502),
    (ImageError(.badStatus, "x", response: ResponseHead(status: 418)), 502),
    (ImageError(.blockedURL, "x", cause: ImageError(.badImageData, "x")), 422),
    (ImageError(.blockedURL, "x"), 502), (ImageError(.limitExceeded, "x", cause: WorkTimeout.reading), 422),
    (ImageError(.blockedURL, "x", cause: ImageError(.limitExceeded, "x", cause: WorkTimeout.making)), 422),
  ]

  @Test(arguments: statuses.indices)
  func eachFailureHasItsStatus(_ index: Int) {
    let (error, status) = Self.statuses[index]
    #expect(ServiceError(error).status == status)
    #expect(ServiceError(error).message.hasSuffix(".") || ServiceError(error).message == "x")
  }

  @Test func adviceForProgrammersIsLeftOut() {
    let tooLong = ImageError(.encodeFailed, "It has 9 pixels. Set EncodeOptions.maxPixelSize, or write PNG.")
    #expect(ServiceError(tooLong).message == "It has 9 pixels.")
    let error = ImageError(.limitExceeded, "It has 9 pixels, over the limit of 5. Raise Limits.side to allow it.")
    #expect(ServiceError(error).message == "It has 9 pixels, over the limit of 5.")
    #expect(ServiceError(error).details?.contains("Raise Limits.side") == true)
  }

  /// The next request may find a process that lives, and memory.
  @Test func aDecoderThatWasEndedFromOutsideIsTriedAgain() async throws {
    var ended = ImageError(.decoderCrashed, "It was ended from outside.")
    ended.isTemporary = true
    let studio = ServiceStudio()
    studio.order()
    studio.loader.script(Self.url, .failure(ended))
    for count in 1...2 {
      let answer = await studio.get()
      #expect(answer.status == 503 && answer.headers["Retry-After"] == "1")
      #expect(answer.headers["Cache-Control"] == "no-store")
      #expect(answer.text.hasPrefix("The picture could not be read just now; try again. (request "), "\(answer.text)")
      #expect(studio.loader.callCount(for: Self.url) == count)
    }
    #expect(studio.service.slowPictures.count == 0)
  }

  @Test(arguments: [
    ("One. Raise Limits.side to allow it.", "One.", "Limits.side"),
    (
      "Over the limit of 5 (Limits.framePixels). Raise Limits.framePixels, or crop it. It is wide.",
      "Over the limit of 5 (the limit). It is wide.", "Limits.framePixels"
    ),
    ("No scaler. Set ImageManager.Configuration.scaler.", "No scaler.", "ImageManager.Configuration.scaler"),
    ("Photo.jpg is damaged. Raise it by 1.5.", "Photo.jpg is damaged. Raise it by 1.5.", nil),
    ("It ended", "It ended", nil), ("", "", nil),
  ])
  func namesOfTheLibraryAreLeftOut(_ message: String, _ shown: String, _ name: String?) {
    #expect(AdviceText.removed(from: message) == shown && AdviceText.name(in: message) == name)
  }

  /// A client reads the name of the server's option, and nothing of the library.
  @Test(arguments: [true, false]) func aLimitIsCalledAsTheServerCallsIt(hasOptions: Bool) async throws {
    func body(_ change: (inout ImageService.Configuration) -> Void) async throws -> (Int, String) {
      let studio = ServiceStudio {
        if hasOptions {
          $0.limitOptions = [
            "Limits.downloadBytes": "max-source-bytes", "Limits.framePixels": "max-source-pixels",
            "Limits.resultSide": "max-result-side",
          ]
        }
        change(&$0)
      }
      studio.order { order in
        var recipe = PixelRecipe()
        recipe.width = 2000
        recipe.enlarges = true
        order.pixels = .recipe(recipe, watermark: nil)
      }
      try studio.place()
      let answer = await studio.get("/p", ["X-Request-ID": "a"])
      return (answer.status, answer.text.replacing(" (request a)\n", with: ""))
    }
    let bytes = try await body { $0.manager.limits.downloadBytes = 10 }
    let pixels = try await body { $0.manager.limits.framePixels = 1 }
    let side = try await body { $0.manager.limits.resultSide = 1000 }
    #expect(bytes.0 == 413 && pixels.0 == 422 && side.0 == 422)
    for (text, option) in [
      (bytes.1, "max-source-bytes"), (pixels.1, "max-source-pixels"), (side.1, "max-result-side"),
    ] {
      #expect(!text.contains("Limits") && !text.contains("Raise"), "\(text)")
      #expect(text.hasSuffix(" The server's option \(option) sets this limit.") == hasOptions, "\(text)")
    }
  }

  private static let secretive: [ImageError] = [
    ImageError(.network, "It failed.", subject: "https://alice:geheim@host/a.jpg?token=geheim"),
    ImageError(.badImageData, "https://host/a?k=geheim is damaged.", subject: "https://host/a.jpg?token=geheim#x"),
    ImageError(
      .blockedURL, "It failed before.", subject: "https://host/a?geheim",
      cause: ImageError(.badImageData, "It is none (at 'https://alice:geheim@host/').", subject: "http://h/?k=geheim")),
    ImageError(.transformFailed, "The transformer Watermark(https://host/w.png?token=geheim 12,1,1) failed."),
    ImageError(.badStatus, "It failed.", subject: "https://proxy/https://alice:geheim@host/a.jpg"),
  ]

  /// What an operator sees for once, everybody sees.
  @Test(arguments: secretive.indices) func noErrorHasAQueryOrAPassword(_ index: Int) async throws {
    let studio = ServiceStudio {
      $0.showsErrors = true
      $0.wording = { $0.replacing("failed", with: "did not work") }
    }
    studio.order { $0.source = "https://host/a.jpg?token=geheim" }
    studio.loader.script(URL(string: "https://host/a.jpg?token=geheim")!, .failure(Self.secretive[index]))
    let answer = await studio.get()
    #expect(answer.text.contains(Self.secretive[index].code.name) && !answer.text.contains("geheim"), "\(answer.text)")
    #expect(!answer.text.contains("failed"))
    #expect(!ServiceError(Self.secretive[index]).message.contains("geheim"))
  }

  @Test func everyErrorOfThePipelineHasAStatus() {
    for code in ImageError.Code.allCases {
      let status = ServiceError(ImageError(code, "x")).status
      #expect((400...599).contains(status), "\(code)")
    }
  }

  @Test func anErrorIsOneLineThatSaysNothingOfWhatIsBehind() async throws {
    let studio = ServiceStudio()
    studio.order()
    studio.loader.script(Self.url, .failure(ImageError(.network, "10.0.0.7:80 refused.", subject: "http://10.0.0.7/")))
    let answer = await studio.get("/p", ["X-Request-ID": "abc-1"])
    #expect(answer.status == 502 && answer.text == "The source failed. (request abc-1)\n")
    #expect(answer.headers["Cache-Control"] == "no-store" && answer.headers["X-Request-ID"] == "abc-1")
    #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
    #expect(answer.headers["Content-Type"] == "text/plain; charset=utf-8")
  }

  @Test func anErrorIsJSONForWhoPrefersIt() async throws {
    let studio = ServiceStudio { $0.negotiatedFormats = [.webp] }
    let answer = await studio.get("/unknown", ["Accept": "application/json", "X-Request-ID": "r\"1"])
    #expect(answer.status == 403 && answer.headers["Content-Type"] == "application/json")
    #expect(answer.text.hasPrefix("{\"status\":403,\"error\":\"Forbidden.\",\"request\":\""))
    // A name with a quotation mark is none of ours.
    #expect(!answer.text.contains("r\\\"1") && answer.headers["Vary"] == "Accept")
    let text = await studio.get("/unknown", ["Accept": "text/plain, application/json;q=0.5"])
    #expect(text.headers["Content-Type"]?.hasPrefix("text/plain") == true)
  }

  @Test(arguments: [(404, "public, max-age=60"), (422, "public, max-age=60"), (502, "no-store")])
  func failuresOfPicturesAreKeptForAMinute(_ status: Int, _ age: String) async throws {
    let studio = ServiceStudio()
    studio.order()
    switch status {
    case 404: studio.loader.script(Self.url, .status(404))
    case 422: studio.loader.script(Self.url, .body(Array(try ServiceStudio.picture(.png).prefix(60))))
    default: studio.loader.script(Self.url, .status(500))
    }
    let answer = await studio.get()
    #expect(answer.status == status && answer.headers["Cache-Control"] == age)
  }

  @Test func aDamagedPictureIsAskedForOnceAMinute() async throws {
    let studio = ServiceStudio()
    studio.order()
    studio.loader.script(Self.url, .body(Array(try ServiceStudio.picture(.png).prefix(60))))
    #expect(await studio.get().status == 422)
    let again = await studio.get()
    #expect(again.status == 422 && studio.loader.callCount == 1)
    studio.clock.advance(by: .seconds(60))
    _ = await studio.get()
    #expect(studio.loader.callCount == 2)
  }

  @Test func anErrorOfOneRecipeStoresNothing() async throws {
    let studio = ServiceStudio()
    studio.order { $0.maxBytes = 1 }
    try studio.place()
    #expect(await studio.get().status == 422)
    #expect(studio.atOnce() == nil)
    studio.order(at: "/good")
    #expect(await studio.get("/good").status == 200)
  }

  /// No server has room for such a result later, so that a client must not try again.
  @Test func aResultOverALimitIsNoOverload() async throws {
    let studio = ServiceStudio { $0.manager.limits.resultSide = 1000 }
    studio.order { order in
      var recipe = PixelRecipe()
      recipe.width = 2000
      recipe.enlarges = true
      order.pixels = .recipe(recipe, watermark: nil)
    }
    try studio.place()
    let answer = await studio.get()
    #expect(answer.status == 422 && answer.headers["Retry-After"] == nil && answer.text.contains("1000"))
  }

  @Test func aFormatThatIsNotWrittenLoadsNothing() async throws {
    let studio = ServiceStudio()
    studio.order { $0.format = ImageFormat(mimeType: "image/avif") }
    try studio.place()
    let answer = await studio.get()
    #expect(answer.status == 415 && answer.text.contains("avif") && studio.loader.callCount == 0)
  }

  // MARK: Requests

  @Test(arguments: [("POST", 405), ("PUT", 405), ("TRACE", 405), ("", 405), ("get", 405)])
  func otherMethodsAreRefused(_ method: String, _ status: Int) async {
    let studio = ServiceStudio()
    studio.order()
    let answer = await studio.get(method: method)
    #expect(answer.status == status && answer.headers["Allow"] == "GET, HEAD, OPTIONS" && studio.loader.callCount == 0)
  }

  @Test func aBodyIsRefused() async {
    let studio = ServiceStudio()
    let answer = await studio.service.response(to: ServiceRequest(target: "/p", hasBody: true))
    #expect(answer.status == 413)
  }

  @Test func aLongAddressIsRefused() async {
    let studio = ServiceStudio()
    #expect(await studio.get("/" + String(repeating: "a", count: 16_384)).status == 414)
  }

  @Test func anAddressExpires() async throws {
    let studio = ServiceStudio()
    try studio.place()
    let now = Int(studio.clock.date.timeIntervalSince1970)
    studio.order { $0.expires = now + 1 }
    #expect(await studio.get().status == 200)
    studio.order { $0.expires = now }
    let answer = await studio.get()
    #expect(answer.status == 410 && answer.headers["Cache-Control"] == "public, max-age=60")
  }

  @Test func healthIsAnsweredWhateverHappens() async {
    let studio = ServiceStudio()
    #expect(studio.atOnce("/health")?.status == 200 && studio.atOnce("/ready")?.status == 200)
    studio.service.beginDraining()
    #expect(studio.atOnce("/health")?.status == 200 && studio.atOnce("/ready?now")?.status == 503)
    #expect(studio.atOnce("/")?.status == 200 && studio.atOnce("/favicon.ico")?.status == 404)
  }

  @Test func aPrefixIsTakenOffPaths() async throws {
    let studio = ServiceStudio { $0.pathPrefix = "/images" }
    studio.order()
    try studio.place()
    #expect(await studio.get("/images/p").status == 200)
    #expect(await studio.get("/p").status == 404)
    #expect(studio.atOnce("/images/health")?.status == 200)
  }

  @Test func otherSitesMayShowPicturesIfAllowed() async throws {
    let studio = ServiceStudio { $0.allowedOrigin = "*" }
    studio.order()
    try studio.place()
    #expect(await studio.get().headers["Access-Control-Allow-Origin"] == "*")
    let preflight = await studio.get(method: "OPTIONS")
    #expect(preflight.status == 204 && preflight.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS")
    #expect(ServiceStudio().atOnce("/health")?.headers["Access-Control-Allow-Origin"] == nil)
  }

  // MARK: Sources

  @Test(arguments: [
    ("ftp://host/a", 403), ("file:///etc/passwd", 403), ("http://user@host/a", 403), ("http://user:x@host/a", 403),
    ("local:///a.png", 403), ("host/a.png", 400), ("", 400), ("http://", 400), ("http:///a", 400),
    ("http://ho st/a", 400), ("http://host/a\nb", 400), ("http://host/a?b\rc", 400), ("http://host/\u{0}", 400),
    ("http://host\u{7f}/a", 400), ("http://host/a\u{7f}", 400), ("http:// /a", 400), ("http://host /a", 400),
    ("http://host\\@evil/a", 400), ("javascript://x", 403),
    ("http://host/" + String(repeating: "a", count: 5000), 414), ("data:image/png;base64,AAAA", 400),
  ])
  func aSourceThatIsNoneIsNotAskedFor(_ source: String, _ status: Int) async {
    let studio = ServiceStudio()
    studio.order { $0.source = source }
    #expect(await studio.get().status == status)
    #expect(studio.loader.callCount == 0)
  }

  @Test func aServerThatIsItsOwnSourceNotices() async throws {
    let studio = ServiceStudio()
    studio.order()
    try studio.place()
    #expect(await studio.get("/p", ["X-Easel-Hop": "2"]).status == 508)
    #expect(await studio.get("/p", ["X-Easel-Hop": "x"]).status == 508)
    #expect(studio.loader.callCount == 0)
    #expect(await studio.get("/p", ["X-Easel-Hop": "1"]).status == 200)
    #expect(studio.loader.calls(for: Self.url).first?.request.headers["X-Easel-Hop"] == "2")
    // The count decides nothing about the picture.
    #expect(studio.atOnce()?.status == 200)
  }

  // MARK: Fallbacks

  private static let fallback = URL(string: "https://host/sorry.png")!

  @Test func aFallbackIsShownForAWhileAndNeverKeptAsThePicture() async throws {
    let studio = ServiceStudio {
      $0.fallbackSource = Self.fallback.absoluteString
      $0.fallbackStatus = 404
    }
    studio.order { order in
      var recipe = PixelRecipe()
      recipe.width = 8
      order.pixels = .recipe(recipe, watermark: nil)
    }
    studio.loader.script(Self.url, .status(404), .body(try ServiceStudio.picture(.jpeg)))
    try studio.place(ServiceStudio.picture(.png), at: Self.fallback)
    let answer = await studio.get()
    #expect(answer.status == 404 && answer.headers["Cache-Control"] == "public, max-age=60")
    #expect(answer.headers["ETag"] == nil && answer.headers["Content-Type"] == "image/png")
    #expect(try answer.header().storedSize.width == 8)
    studio.clock.advance(by: .seconds(60))
    let picture = await studio.get()
    #expect(picture.status == 200 && picture.headers["Content-Type"] == "image/jpeg")
  }

  @Test func aFallbackThatFailsLeavesTheFirstError() async throws {
    let studio = ServiceStudio { $0.fallbackSource = Self.fallback.absoluteString }
    studio.order()
    studio.loader.script(Self.url, .status(404))
    studio.loader.script(Self.fallback, .status(500))
    #expect(await studio.get().status == 404)
  }

  @Test func aForbiddenAddressHasNoFallback() async throws {
    let studio = ServiceStudio { $0.fallbackSource = Self.fallback.absoluteString }
    #expect(await studio.get("/unknown").status == 403)
    #expect(studio.loader.callCount == 0)
  }
}
