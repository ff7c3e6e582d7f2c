import EaselJPEG
import EaselPNG
import EaselSupport
import EaselTestSupport
import EaselTransformers
import EaselWebP
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselService

/// AVIF for clients that accept it: waited for if it is small, and made behind if it is not.
struct AVIFChoiceTests {
  private static let avif = ImageFormat(mimeType: "image/avif")
  private let browser: HTTPHeaders = ["Accept": "image/avif,image/webp,*/*;q=0.8"]
  private let slow = SlowCoder()

  /// The source has 64 by 48 pixels.
  private func studio(
    formats: [ImageFormat] = [avif, .webp], awaited: Int = 100, most: Int = 100_000, hasDisk: Bool = false
  ) throws -> ServiceStudio {
    let studio = ServiceStudio {
      $0.manager.coder = CoderRegistry([slow, WebPCoder(), PNGCoder(), JPEGCoder()])
      $0.negotiatedFormats = formats
      $0.avif.mostAwaitedPixels = awaited
      $0.avif.mostPixels = most
    }
    try studio.place()
    return studio
  }

  private func fit(_ side: Int) -> ImageOrder.Pixels {
    var recipe = PixelRecipe()
    (recipe.width, recipe.height) = (side, side)
    return .recipe(recipe, watermark: nil)
  }

  private func rest(_ studio: ServiceStudio) async {
    while studio.service.backgroundEncodings.runningCount > 0 { await Task.yield() }
  }

  @Test func aSmallAVIFIsWaitedFor() async throws {
    let studio = try studio()
    studio.order { $0.pixels = fit(10) }
    let answer = await studio.get("/p", browser)
    #expect(answer.headers["Content-Type"] == "image/avif" && studio.service.backgroundEncodings.runningCount == 0)
    #expect(answer.headers["Cache-Control"]?.contains("max-age=31536000") == true)
  }

  @Test func aLargeAVIFIsMadeWhileAnotherFormatGoesOut() async throws {
    let studio = try studio()
    studio.order { $0.pixels = fit(40) }
    slow.gate.close()
    let first = await studio.get("/p", browser)
    #expect(first.headers["Content-Type"] == "image/webp" && first.headers["Vary"] == "Accept")
    #expect(first.headers["Cache-Control"]?.hasPrefix("public, max-age=60,") == true)
    // It goes out from memory as well, as long as the AVIF is in work, and no second AVIF is begun.
    let second = try #require(studio.atOnce("/p", browser))
    #expect(second.bytes == first.bytes && second.headers["Cache-Control"] == first.headers["Cache-Control"])
    #expect(studio.service.backgroundEncodings.runningCount == 1)
    slow.gate.open()
    await rest(studio)
    let third = try #require(studio.atOnce("/p", browser))
    #expect(third.headers["Content-Type"] == "image/avif" && third.headers["ETag"] != first.headers["ETag"])
    #expect(third.headers["Cache-Control"]?.contains("max-age=31536000") == true)
    #expect(slow.count == 1)
  }

  @Test func whoReadsNoAVIFGetsNone() async throws {
    let studio = try studio()
    studio.order { $0.pixels = fit(40) }
    let answer = await studio.get("/p", ["Accept": "image/webp"])
    #expect(answer.headers["Content-Type"] == "image/webp")
    #expect(answer.headers["Cache-Control"]?.contains("max-age=31536000") == true)
    #expect(slow.count == 0 && studio.service.backgroundEncodings.runningCount == 0)
  }

  @Test func aURLThatNamesAVIFGetsItWhateverItCosts() async throws {
    let studio = try studio(most: 1)
    studio.order {
      $0.pixels = fit(40)
      $0.format = Self.avif
    }
    #expect(await studio.get("/p", ["Accept": "image/webp"]).headers["Content-Type"] == "image/avif")
  }

  @Test func aVeryLargePictureIsNeverMadeAsAVIF() async throws {
    let studio = try studio(most: 1000)
    studio.order { $0.pixels = fit(40) }
    let answer = await studio.get("/p", browser)
    #expect(answer.headers["Content-Type"] == "image/webp")
    #expect(answer.headers["Cache-Control"]?.contains("max-age=31536000") == true)
    #expect(slow.count == 0 && studio.service.backgroundEncodings.runningCount == 0)
  }

  @Test func aPictureWithoutAWantedSizeMayBeLarge() async throws {
    let studio = try studio()
    studio.order()
    #expect(await studio.get("/p", browser).headers["Content-Type"] == "image/webp")
    await rest(studio)
    #expect(studio.atOnce("/p", browser)?.headers["Content-Type"] == "image/avif")
  }

  @Test func withoutAnotherNegotiatedFormatACommonOneGoesOut() async throws {
    let studio = try studio(formats: [Self.avif])
    studio.order()
    #expect(await studio.get("/p", browser).headers["Content-Type"] == "image/jpeg")
    await rest(studio)
    #expect(studio.atOnce("/p", browser)?.headers["Content-Type"] == "image/avif")
  }

  @Test func anAVIFThatIsNotPreferredIsNotMade() async throws {
    let studio = try studio(formats: [.webp, Self.avif])
    studio.order()
    #expect(await studio.get("/p", browser).headers["Content-Type"] == "image/webp")
    #expect(slow.count == 0 && studio.service.backgroundEncodings.runningCount == 0)
  }

  @Test func aFailureIsNotRepeatedAtEveryRequest() async throws {
    let studio = try studio()
    studio.order()
    slow.error.withLock { $0 = ImageError(.encodeFailed, "The encoder is out of order.") }
    for _ in 0..<3 {
      #expect(await studio.get("/p", browser).headers["Content-Type"] == "image/webp")
      await rest(studio)
    }
    #expect(slow.count == 1)
    slow.error.withLock { $0 = nil }
    studio.clock.advance(by: .seconds(31))
    _ = await studio.get("/p", browser)
    await rest(studio)
    #expect(slow.count == 2 && studio.atOnce("/p", browser)?.headers["Content-Type"] == "image/avif")
  }

  @Test func aClientThatLeavesTakesNoAVIFAlong() async throws {
    let studio = try studio()
    studio.order()
    slow.gate.close()
    let client = Task { await studio.get("/p", browser) }
    _ = await client.value
    client.cancel()
    await slow.gate.waitForWaiters()
    slow.gate.open()
    await rest(studio)
    #expect(studio.atOnce("/p", browser)?.headers["Content-Type"] == "image/avif")
  }
}

/// The limits of what is made behind.
struct BackgroundEncodingsTests {
  private let clock = ManualClock()

  private func name(_ number: Int) -> BackgroundEncodings.Name {
    .init(key: CacheKey(original: "http://host/\(number)"), recipe: EncodeRecipe(.webp))
  }

  @Test func onlySoManyAreMadeAtATime() async {
    let pictures = BackgroundEncodings(mostRunning: 2, clock: clock)
    let gate = AsyncGate()
    let count = Locked(0)
    for number in 0..<5 {
      pictures.make(name(number)) {
        count.withLock { $0 += 1 }
        try await gate.pass()
      }
    }
    #expect(pictures.runningCount == 2)
    gate.open()
    while pictures.runningCount > 0 { await Task.yield() }
    #expect(count.withLock { $0 } == 2)
  }

  @Test func onlySoManyFailuresAreRemembered() async {
    let pictures = BackgroundEncodings(mostPauses: 2, pause: .seconds(10), clock: clock)
    let count = Locked(0)
    func fail(_ number: Int) async {
      pictures.make(name(number)) {
        count.withLock { $0 += 1 }
        throw ImageError(.encodeFailed, "No.")
      }
      while pictures.runningCount > 0 { await Task.yield() }
    }
    for number in [0, 1, 2, 0, 1, 2] { await fail(number) }
    // The third has no room, so it is tried again.
    #expect(count.withLock { $0 } == 4)
    clock.advance(by: .seconds(11))
    await fail(3)
    await fail(3)
    #expect(count.withLock { $0 } == 5)
  }

  @Test func theEndOfTheServiceEndsThem() async {
    let ended = AsyncGate()
    var pictures: BackgroundEncodings? = BackgroundEncodings(clock: clock)
    let gate = AsyncGate()
    let begun = AsyncGate()
    pictures?.make(name(0)) {
      defer { ended.open() }
      begun.open()
      try await gate.pass()
    }
    try? await begun.pass()
    pictures = nil
    try? await ended.pass()
  }
}

/// A coder that writes what it calls AVIF, when its gate is open.
private final class SlowCoder: EncodingCoder {
  let gate = Gate(isOpen: true)
  let error = Locked<ImageError?>(nil)
  private let calls = Locked(0)

  var count: Int { calls.withLock { $0 } }
  var identifier: String { "slow" }
  var formats: [ImageFormat] { [] }

  func canDecode(prefix: [UInt8]) -> Bool { false }
  func canEncode(_ format: ImageFormat) -> Bool { format == .avif }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    throw ImageError(.badImageData, "This coder only writes.")
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    throw ImageError(.badImageData, "This coder only writes.")
  }

  func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    calls.withLock { $0 += 1 }
    gate.pass()
    if let error = error.withLock({ $0 }) { throw error }
    return ImageBytes(Array("....ftypavif \(image.size)".utf8))
  }
}
