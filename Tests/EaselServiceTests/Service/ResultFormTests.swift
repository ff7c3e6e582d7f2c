import EaselSupport
import EaselTestSupport
import EaselTransformers
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselService

/// What goes out in place of what cannot: another format, a smaller picture, or nothing.
struct ResultFormTests {
  /// A picture of one colour that is wider than a WebP can be.
  private static func wide(hasAlpha: Bool = false) throws -> [UInt8] {
    let bitmap = try Bitmap(
      size: PixelSize(width: 16_384, height: 4), format: hasAlpha ? .rgba8 : .opaqueRGBA8)
    let coder = CoderRegistry([ServiceStudio.png])
    return try Array(coder.encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext()).data())
  }

  /// A picture of more colours than a palette has.
  private static func colourful(_ format: PixelFormat) throws -> [UInt8] {
    var random = SeededRandom(seed: 5)
    var bitmap = try Bitmap(size: PixelSize(width: 64, height: 64), format: format)
    let component = format.bytesPerPixel / 4
    bitmap.withUnsafeMutableBytes { bytes in
      for index in bytes.indices {
        bytes[index] = index / component % 4 == 3 ? 255 : UInt8.random(in: 0...255, using: &random)
      }
    }
    let coder = CoderRegistry([ServiceStudio.png])
    return try Array(coder.encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext()).data())
  }

  // MARK: Formats

  @Test(arguments: [ImageFormat.jpeg, .png, .webp]) func withoutAnyChoiceAnOriginalKeepsItsFormat(
    format: ImageFormat
  ) async throws {
    let studio = ServiceStudio()
    studio.order()
    try studio.place(ServiceStudio.picture(format))
    #expect(await studio.get().headers["Content-Type"] == format.mimeType)
    // A client that accepts none of the formats gets one that every client reads.
    let other = ServiceStudio { $0.negotiatedFormats = [.avif] }
    other.order()
    try other.place(ServiceStudio.picture(format))
    let expected: ImageFormat = format == .webp ? .jpeg : format
    #expect(await other.get().headers["Content-Type"] == expected.mimeType)
  }

  @Test(arguments: [(false, 1, ImageFormat.jpeg), (true, 1, .png), (false, 3, .png)])
  func anOriginalOfAnotherFormatGetsACommonOneThatCanHoldIt(
    hasAlpha: Bool, frames: Int, expected: ImageFormat
  ) async throws {
    let studio = ServiceStudio { $0.manager.coder = $0.manager.coder.adding(ToyCoder()) }
    studio.order()
    try studio.place(ToyImage(width: 8, height: 6, seed: 3, frameCount: frames, hasAlpha: hasAlpha).bytes)
    let answer = await studio.get()
    #expect(answer.status == 200 && answer.headers["Content-Type"] == expected.mimeType, "\(answer.text.prefix(200))")
  }

  @Test func aPictureTooLargeForAFormatGetsTheNext() async throws {
    let studio = ServiceStudio { $0.negotiatedFormats = [.webp, .png] }
    studio.order()
    try studio.place(Self.wide())
    for accept in ["image/webp,image/png;q=0.5", "image/webp,image/png"] {
      let answer = await studio.get("/p", ["Accept": accept])
      #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/png", "\(answer.text.prefix(200))")
      #expect(try answer.header().storedSize.width == 16_384)
    }
    // The second time, nobody tries the first format, and the answer needs no waiting.
    studio.observer.forgetEvents()
    #expect(studio.atOnce("/p", ["Accept": "image/webp,image/png"])?.status == 200)
    #expect(studio.count("encoded") == 0)
  }

  @Test func withoutANextFormatItGetsOneThatEveryClientReads() async throws {
    let studio = ServiceStudio { $0.negotiatedFormats = [.webp] }
    studio.order()
    try studio.place(Self.wide(hasAlpha: true))
    let answer = await studio.get("/p", ["Accept": "image/webp,*/*"])
    #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/png", "\(answer.text.prefix(200))")
  }

  @Test func aFormatInTheURLHasNoNext() async throws {
    let studio = ServiceStudio { $0.negotiatedFormats = [.webp, .png] }
    studio.order { $0.format = .webp }
    try studio.place(Self.wide())
    let answer = await studio.get("/p", ["Accept": "image/png"])
    #expect(answer.status == 422 && answer.text.contains("16383") && !answer.text.contains("EncodeOptions"))
  }

  @Test func onlySomeResultsAreRemembered() throws {
    let oversized = OversizedFormats(capacity: 2)
    let keys = ["a", "b", "c"].map { CacheKey(original: $0) }
    #expect(oversized.isEmpty && oversized.insert(.webp, for: keys[0]) && !oversized.insert(.webp, for: keys[0]))
    #expect(oversized.insert(.jpeg, for: keys[0]) && oversized[keys[0]] == [.webp, .jpeg])
    #expect(oversized.insert(.webp, for: keys[1]) && oversized.insert(.webp, for: keys[2]))
    #expect(oversized[keys[0]].isEmpty && oversized[keys[2]] == [.webp])
  }

  // MARK: Sizes

  @Test(arguments: [(false, 422), (true, 200)]) func aLongResultIsRefusedOrMadeSmaller(
    _ reduces: Bool, _ status: Int
  ) async throws {
    let studio = ServiceStudio {
      $0.manager.limits.resultSide = 20
      $0.reducesResults = reduces
    }
    for (path, width) in [("/whole", 0), ("/large", 500)] {
      studio.order(at: path) {
        var recipe = PixelRecipe()
        (recipe.width, recipe.enlarges) = (width, true)
        $0.pixels = .recipe(recipe, watermark: nil)
      }
    }
    try studio.place()
    for path in ["/whole", "/large"] {
      let answer = await studio.get(path)
      #expect(answer.status == status)
      if status == 200 { #expect(try answer.header().storedSize == PixelSize(width: 20, height: 15)) }
    }
  }

  @Test func aLimitOfTheURLMakesSmallerToo() async throws {
    let studio = ServiceStudio { $0.reducesResults = true }
    studio.order { $0.limits.resultSide = 8 }
    try studio.place()
    #expect(try await studio.get().header().storedSize == PixelSize(width: 8, height: 6))
  }

  /// The parts of a URL, and the size for a picture of 64x48 where no side may have more than 20 pixels.
  @Test(arguments: [
    ("", 20, 15), ("40x30", 20, 20), ("40x0", 20, 15), ("0x40", 20, 15), ("10x30", 10, 20), ("fit-in/40x40", 20, 15),
    ("fit-in/40x0", 20, 15), ("full-fit-in/40x30", 20, 15), ("origx10", 20, 10), ("16x", 16, 12), ("5x5", 5, 5),
    ("fit-in/30x30/filters:fill(red)", 20, 20), ("adaptive-fit-in/30x40", 20, 15),
    ("300x/filters:no_upscale()", 20, 15),
  ])
  func sizesOfThumborAreBoundedToo(_ parts: String, _ width: Int, _ height: Int) async throws {
    let studio = ServiceStudio {
      $0.manager.limits.resultSide = 20
      $0.reducesResults = true
    }
    let reader = ThumborReader(signer: nil, formats: NamedFormats.names, mostSide: 20)
    let path = "/unsafe/\(parts)\(parts.isEmpty ? "" : "/")https://host/a.jpg"
    studio.reader.place(try reader.order(at: path[...], now: 0), at: "/p")
    try studio.place()
    let answer = await studio.get()
    #expect(answer.status == 200, "\(answer.text.prefix(200))")
    if answer.status == 200 {
      #expect(try answer.header().storedSize == PixelSize(width: width, height: height))
    }
  }

  // MARK: Originals

  @Test func anOriginalYieldsToAFormatInTheURL() async throws {
    let studio = ServiceStudio()
    let bytes = try ServiceStudio.picture(.png)
    try studio.place(bytes)
    studio.order(at: "/same") { ($0.format, $0.untouchedFormats) = (.png, [.png, .gif]) }
    studio.order(at: "/other") { ($0.format, $0.untouchedFormats) = (.webp, [.png]) }
    #expect(await studio.get("/same").bytes == bytes)
    #expect(await studio.get("/other").headers["Content-Type"] == "image/webp")
  }

  @Test func anOriginalHasTheHashOfTheURL() async throws {
    let studio = ServiceStudio()
    let bytes = try ServiceStudio.picture(.png)
    try studio.place(bytes)
    for kind in Hashsum.Kind.allCases {
      let hash = try #require(bytes.withUnsafeBytes(kind.hash))
      studio.order(at: "/\(kind.rawValue)") { $0.hashsum = Hashsum(kind: kind, bytes: hash) }
      #expect(await studio.get("/\(kind.rawValue)").status == 200)
    }
    studio.order()
    #expect(await studio.get().status == 200)
    // What others had made before is no answer.
    var wrong = SHA256.hash(bytes)
    wrong[0] ^= 1
    studio.order(at: "/wrong") { $0.hashsum = Hashsum(kind: .sha256, bytes: wrong) }
    let answer = await studio.get("/wrong")
    #expect(answer.status == 422 && answer.text.contains("sha256 hash"), "\(answer.text)")
    #expect(studio.atOnce("/wrong") == nil)
    studio.order(at: "/raw") { ($0.answer, $0.hashsum) = (.original, Hashsum(kind: .sha256, bytes: wrong)) }
    #expect(await studio.get("/raw").status == 422)
  }

  @Test func filesAreTunedAsTheURLWants() async throws {
    let studio = ServiceStudio()
    try studio.place(Self.colourful(.opaqueRGBA8))
    for (path, format, tuning) in [
      ("/usual", ImageFormat.jpeg, ImageOrder.Tuning()), ("/coarse", .jpeg, .init(isProgressive: true)),
      ("/colours", .jpeg, .init(chromaSubsampling: .quarter)), ("/webp", .webp, .init()),
      ("/exact", .webp, .init(isLossless: true)), ("/png", .png, .init()),
      ("/palette", .png, .init(palette: .init(colors: 8, quality: 0...90))),
    ] {
      studio.order(at: path) {
        var recipe = PixelRecipe()
        recipe.width = 32
        ($0.format, $0.tunings[format], $0.pixels) = (format, tuning, .recipe(recipe, watermark: nil))
      }
    }
    // A frame that is decoded in several passes begins with FF C2.
    func isProgressive(_ bytes: [UInt8]) -> Bool { zip(bytes, bytes.dropFirst()).contains { $0 == (0xff, 0xc2) } }
    let usual = await studio.get("/usual")
    let coarse = await studio.get("/coarse")
    #expect(!isProgressive(usual.bytes) && isProgressive(coarse.bytes))
    #expect(await studio.get("/colours").bytes != usual.bytes)
    let (lossy, exact) = (await studio.get("/webp"), await studio.get("/exact"))
    #expect(lossy.status == 200 && exact.status == 200 && lossy.bytes != exact.bytes)
    let (png, palette) = (await studio.get("/png"), await studio.get("/palette"))
    // The colour type of IHDR is 3 for a palette.
    #expect(png.bytes[25] != 3 && palette.bytes[25] == 3 && palette.bytes.count * 2 < png.bytes.count)
  }

  @Test func sixteenBitsAreKeptOnRequest() async throws {
    let studio = ServiceStudio()
    try studio.place(Self.colourful(PixelFormat(.rgba16, alpha: .opaque)))
    for (path, keeps, depth) in [("/usual", false, 8), ("/deep", true, 16)] {
      studio.order(at: path) {
        var recipe = PixelRecipe()
        recipe.width = 48
        ($0.keeps16Bits, $0.pixels) = (keeps, .recipe(recipe, watermark: nil))
      }
      let answer = await studio.get(path)
      #expect(answer.status == 200, "\(answer.text.prefix(200))")
      let header = try answer.header()
      #expect(header.bitDepth == depth)
    }
  }
}
