import EaselCore
import EaselTestSupport
import EaselTransformers
import FoundationEssentials
import Testing

@testable import EaselManager
@testable import EaselService

/// Answers with a picture in them.
struct PictureAnswerTests {
  private func shrink(_ order: inout ImageOrder) {
    var recipe = PixelRecipe()
    recipe.width = 16
    order.pixels = .recipe(recipe, watermark: nil)
  }

  @Test func aPictureComesWithEverythingThatClientsNeed() async throws {
    let studio = ServiceStudio()
    studio.order(shrink)
    try studio.place()
    let answer = await studio.get()
    #expect(answer.status == 200)
    let header = try answer.header()
    #expect(header.format == .jpeg && header.storedSize == PixelSize(width: 16, height: 12))
    #expect(answer.headers["Content-Type"] == "image/jpeg")
    #expect(answer.headers["Content-Length"] == "\(answer.bytes.count)")
    #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
    #expect(answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox")
    #expect(
      answer.headers["Cache-Control"]
        == "public, max-age=31536000, stale-while-revalidate=86400, stale-if-error=604800")
    let tag = try #require(answer.headers["ETag"])
    #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count == 34)
    #expect(answer.headers["Vary"] == nil)
  }

  @Test func aHitNeedsNoWaiting() async throws {
    let studio = ServiceStudio()
    studio.order(shrink)
    try studio.place()
    #expect(studio.atOnce() == nil)
    let first = await studio.get()
    studio.observer.forgetEvents()
    let second = try #require(studio.atOnce())
    #expect(second.status == 200 && second.bytes == first.bytes && second.headers["ETag"] == first.headers["ETag"])
    #expect(studio.loader.callCount == 1 && studio.count("decoded") == 0 && studio.count("encoded") == 0)
  }

  @Test func aValidatorSavesTheBodyAndTheSource() async throws {
    let studio = ServiceStudio { $0.negotiatedFormats = [.webp] }
    studio.order(shrink)
    try studio.place()
    let first = await studio.get()
    let tag = try #require(first.headers["ETag"])
    for stated in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
      let answer = try #require(studio.atOnce("/p", ["If-None-Match": stated]))
      #expect(answer.status == 304 && answer.body.isEmpty)
      for name in ["ETag", "Cache-Control", "Vary"] { #expect(answer.headers[name] == first.headers[name]) }
    }
    for stated in ["\"other\"", String(tag.dropLast()), ""] {
      #expect(studio.atOnce("/p", ["If-None-Match": stated])?.status == 200)
    }
    #expect(studio.loader.callCount == 1)
  }

  @Test func aHeadHasTheFieldsOfThePicture() async throws {
    let studio = ServiceStudio()
    studio.order(shrink)
    try studio.place()
    let head = await studio.get(method: "HEAD")
    let picture = await studio.get()
    #expect(head.status == 200 && head.body.isEmpty)
    for name in ["Content-Length", "Content-Type", "ETag", "Cache-Control"] {
      #expect(head.headers[name] == picture.headers[name])
    }
  }

  @Test func twoHundredClientsShareEverything() async throws {
    let studio = ServiceStudio()
    studio.order(shrink)
    try studio.place(chunkSize: 100)
    studio.loader.suspend(ServiceStudio.source)
    let clients = (0..<200).map { _ in Task { await studio.get() } }
    while studio.service.manager.resultRuns.waitingCount < clients.count { await Task.yield() }
    studio.loader.resume(ServiceStudio.source)
    var answers: Set<[UInt8]> = []
    for client in clients {
      let answer = await client.value
      #expect(answer.status == 200)
      answers.insert(answer.bytes)
    }
    #expect(answers.count == 1 && studio.loader.callCount == 1)
    #expect(studio.count("decoded") == 1 && studio.count("encoded") == 1)
  }

  @Test func aClientThatLeavesEndsItsWorkUnlessOthersWait() async throws {
    let studio = ServiceStudio()
    studio.order(shrink)
    try studio.place(chunkSize: 100)
    studio.loader.suspend(ServiceStudio.source)
    let (leaver, other) = (Task { await studio.get() }, Task { await studio.get() })
    while studio.service.manager.resultRuns.waitingCount < 2 { await Task.yield() }
    leaver.cancel()
    #expect(await leaver.value.status == 499)
    studio.loader.resume(ServiceStudio.source)
    #expect(await other.value.status == 200 && studio.loader.callCount == 1)
    // Alone, the work ends with its client.
    let url = URL(string: "https://host/alone.jpg")!
    studio.order(at: "/alone") { $0.source = url.absoluteString }
    try studio.place(at: url)
    studio.loader.suspend(url)
    let alone = Task { await studio.get("/alone") }
    await studio.loader.waitUntilSuspended(url)
    alone.cancel()
    await studio.loader.waitForCancellation(of: url)
    #expect(await alone.value.status == 499)
  }

  @Test func aRequestHasOneDeadline() async throws {
    let studio = ServiceStudio { $0.requestTime = .seconds(5) }
    studio.order(shrink)
    try studio.place()
    studio.loader.suspend(ServiceStudio.source)
    let client = Task { await studio.get() }
    await studio.loader.waitUntilSuspended(ServiceStudio.source)
    await studio.clock.waitForSleepers()
    studio.clock.advance(by: .seconds(5))
    let answer = await client.value
    #expect(answer.status == 503 && answer.headers["Retry-After"] != nil)
    await studio.loader.waitForCancellation(of: ServiceStudio.source)
  }

  // MARK: Formats

  @Test(arguments: [
    ("image/webp,*/*", ImageFormat.webp), ("image/webp;q=0.5,image/png;q=0.9", .png), ("image/webp;q=0", .jpeg),
    ("*/*", .jpeg), ("image/*", .jpeg), ("", .jpeg), ("image/webp;q=abc", .jpeg), ("IMAGE/WEBP", .webp),
    ("image/avif,image/webp;q=0.8,image/apng,*/*;q=0.5", .webp), ("image/webp;v=1;q=0.3", .webp),
    (String(repeating: "image/webp,", count: 800), .jpeg),
  ])
  func theClientChoosesAmongWhatIsOffered(_ accept: String, _ format: ImageFormat) async throws {
    let studio = ServiceStudio { $0.negotiatedFormats = [.webp, .png] }
    studio.order(shrink)
    try studio.place()
    let answer = await studio.get("/p", ["Accept": accept])
    #expect(answer.headers["Content-Type"] == format.mimeType && answer.headers["Vary"] == "Accept")
  }

  @Test func aFormatInTheURLIsNotNegotiated() async throws {
    let studio = ServiceStudio { $0.negotiatedFormats = [.webp] }
    studio.order { $0.format = .png }
    try studio.place()
    let answer = await studio.get("/p", ["Accept": "image/webp"])
    #expect(answer.headers["Content-Type"] == "image/png" && answer.headers["Vary"] == "Accept")
  }

  @Test(arguments: [
    (ImageFormat.jpeg, false, ImageFormat.jpeg), (.png, true, .png), (.webp, true, .webp), (.png, false, .png),
  ])
  func withoutAChoiceTheFormatOfTheOriginalStays(
    _ original: ImageFormat, _ hasAlpha: Bool, _ format: ImageFormat
  ) async throws {
    let studio = ServiceStudio()
    studio.order(shrink)
    try studio.place(ServiceStudio.picture(original, hasAlpha: hasAlpha))
    #expect(await studio.get().headers["Content-Type"] == format.mimeType)
  }

  @Test func aClientWithoutWebPGetsWhatItReads() async throws {
    let studio = ServiceStudio { $0.negotiatedFormats = [.webp] }
    studio.order(shrink)
    try studio.place(ServiceStudio.picture(.webp, hasAlpha: true))
    #expect(await studio.get("/p", ["Accept": "*/*"]).headers["Content-Type"] == "image/png")
  }

  @Test func eachFormatHasItsQualityAndAURLMayHaveItsOwn() async throws {
    let studio = ServiceStudio { $0.qualities = [.jpeg: 0.3] }
    try studio.place()
    studio.order(at: "/usual") {
      $0.format = .jpeg; shrink(&$0)
    }
    studio.order(at: "/same") {
      $0.format = .jpeg; $0.quality = 0.3; shrink(&$0)
    }
    studio.order(at: "/better") {
      $0.format = .jpeg; $0.formatQualities[.jpeg] = 0.95; shrink(&$0)
    }
    let usual = await studio.get("/usual")
    // The same bytes have another key if they were asked for: an original may stand for those of the first.
    let same = await studio.get("/same")
    #expect(same.bytes == usual.bytes && same.headers["ETag"] != usual.headers["ETag"])
    let better = await studio.get("/better")
    #expect(better.bytes.count > usual.bytes.count && better.headers["ETag"] != usual.headers["ETag"])
  }

  @Test func hintsOfTheBrowserAreRoundedToSteps() async throws {
    let studio = ServiceStudio { $0.usesClientHints = true }
    studio.order { order in
      order.pixels = .recipe(PixelRecipe(), watermark: nil)
      order.format = .png
    }
    try studio.place(ServiceStudio.picture(.png))
    let plain = await studio.get()
    #expect(try plain.header().storedSize.width == 64)
    #expect(plain.headers["Vary"]?.contains("Sec-CH-DPR") == true)
    for width in ["1", "33", "64"] {
      #expect(
        await studio.get("/p", ["Sec-CH-Width": width]).headers["ETag"]
          == studio.get("/p", ["Width": "64"]).headers["ETag"])
    }
    for nonsense in ["0", "-1", "x", "99999999999999999999", "1e9", ""] {
      #expect(await studio.get("/p", ["Width": nonsense, "DPR": nonsense]).headers["ETag"] == plain.headers["ETag"])
    }
  }

  // MARK: Names, originals, facts

  @Test(
    arguments: [
      ("cat", false, "inline; filename=\"cat.jpg\""), ("cat.png", true, "attachment; filename=\"cat.jpg\""),
      ("../../etc/passwd", false, "inline; filename=\"passwd.jpg\""), (nil, true, "attachment"), (nil, false, nil),
      ("a\r\nSet-Cookie: x", false, "inline; filename=\"aSet-Cookie_ x.jpg\"; filename*=UTF-8''aSet-Cookie%3A%20x.jpg"),
      ("猫", false, "inline; filename=\"___.jpg\"; filename*=UTF-8''%E7%8C%AB.jpg"), ("..", true, "attachment"),
      ("a\"b", false, "inline; filename=\"a_b.jpg\"; filename*=UTF-8''a%22b.jpg"),
    ] as [(String?, Bool, String?)])
  func namesOfFilesAreSafe(_ name: String?, _ isAttachment: Bool, _ field: String?) {
    #expect(
      Disposition.field(fileName: name, isAttachment: isAttachment, format: .jpeg, NamedFormats.names) == field)
  }

  @Test func anIconHasTheExtensionOfIcons() {
    let icon = ImageFormat(mimeType: "image/vnd.microsoft.icon")
    let field = Disposition.field(fileName: "site.cur", isAttachment: true, format: icon, NamedFormats.names)
    #expect(field == "attachment; filename=\"site.ico\"")
  }

  @Test func anOriginalGoesOutUntouchedOnRequest() async throws {
    let studio = ServiceStudio()
    let bytes = try ServiceStudio.picture(.png)
    try studio.place(bytes)
    studio.order(at: "/raw") { $0.answer = .original }
    studio.order(at: "/skip") {
      $0.untouchedFormats = [.png]; $0.quality = 0.1; shrink(&$0)
    }
    studio.order(at: "/other") {
      $0.untouchedFormats = [.webp]; shrink(&$0)
    }
    for path in ["/raw", "/skip"] {
      let answer = await studio.get(path)
      #expect(answer.status == 200 && answer.bytes == bytes && answer.headers["Content-Type"] == "image/png")
      let again = await studio.get(path, ["If-None-Match": answer.headers["ETag"] ?? ""])
      #expect(again.status == 304)
    }
    #expect(try await studio.get("/other").header().storedSize.width == 16)
  }

  @Test func whatIsNoPictureIsNeverPassedOn() async throws {
    let studio = ServiceStudio()
    try studio.place(Array("<html><script>alert(1)</script></html>".utf8), headers: ["Content-Type": "image/png"])
    studio.order(at: "/raw") { $0.answer = .original }
    studio.order()
    for path in ["/raw", "/p"] { #expect(await studio.get(path).status == 415) }
  }

  @Test func factsAreJSON() async throws {
    let studio = ServiceStudio()
    try studio.place(ServiceStudio.picture(.png, hasAlpha: true))
    studio.order { $0.answer = .info }
    let answer = await studio.get()
    #expect(answer.status == 200 && answer.headers["Content-Type"] == "application/json")
    for part in [
      "\"format\":\"png\"", "\"width\":64", "\"height\":48", "\"frames\":1", "\"hasAlpha\":true", "\"blurHash\":\"",
      "\"thumbHash\":\"", "\"palette\":[{\"color\":\"#", "\"mimeType\":\"image/png\"",
    ] { #expect(answer.text.contains(part), "\(answer.text)") }
    #expect(await studio.get("/p", ["If-None-Match": answer.headers["ETag"] ?? ""]).status == 304)
  }
}
