import Easel
import EaselTestSupport
import FoundationEssentials
import Testing

/// Pictures in PQ keep their 16 bits and their description from the file through all transformers into a file.
struct HighRangeTests {
  private let loader = FakeLoader()
  private let url = URL(string: "http://host/bright.png")!
  private static let color = ColorDescription(
    coding: ColorDescription.Coding(primaries: 9, transfer: 16),
    contentLight: ColorDescription.ContentLight(greatest: 1000, greatestAverage: 200))
  private static let context: ImageContext = [.keepsHighRange(true)]

  /// A gradient of 16 bits, in which each column has another value of red.
  private func picture(_ width: Int = 300, _ height: Int = 200) throws -> Image {
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: PixelFormat(.rgba16, alpha: .opaque))
    bitmap.withUnsafeMutableBytes { bytes in
      let words = bytes.bindMemory(to: UInt16.self)
      for y in 0..<height {
        for x in 0..<width {
          let start = 4 * (y * width + x)
          words[start] = UInt16(20_000 + 20 * x)
          words[start + 1] = UInt16(18_000 + 30 * y)
          words[start + 2] = UInt16(25_000 + 7 * (x + y))
          words[start + 3] = .max
        }
      }
    }
    var image = Image(bitmap)
    image.metadata.color = Self.color
    return image
  }

  private func manager(_ image: Image) throws -> ImageManager {
    let file = try PNGCoder().encode(image, as: .png, options: EncodeOptions(), work: WorkContext())
    loader.script(url, .body(try file.withUnsafeBytes { Array($0) }))
    return ImageManager(
      ImageManager.Configuration(
        loader: LoaderChain([loader]),
        coder: CoderRegistry([PNGCoder(), JPEGCoder(), WebPCoder(), GIFCoder()]),
        cache: TieredCache(memory: LRUMemoryStore())))
  }

  private func words(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> [Int] {
    bitmap.withUnsafeBytes { bytes in
      (0..<4).map {
        Int(bytes.loadUnaligned(fromByteOffset: y * bitmap.bytesPerRow + 8 * x + 2 * $0, as: UInt16.self))
      }
    }
  }

  private static let mark: Bitmap = {
    var mark = try! Bitmap(size: PixelSize(width: 20, height: 20), format: .rgba8)
    mark.withUnsafeMutableBytes { bytes in for index in bytes.indices { bytes[index] = 255 } }
    return mark
  }()

  static let pipelines: [TransformerPipeline] = [
    .resize(width: 150), .resize(width: 450, filter: .bicubic), .resize(width: 100, height: 100, mode: .pad),
    .resize(width: 100, height: 0, fidelity: .faithful),
    .resize(width: 90, height: 120, mode: .fill, gravity: .smart),
    .crop(x: 10, y: 20, width: 200, height: 100), .crop(width: 100, height: 100, gravity: .smart), .trim(),
    .flip(horizontal: true), .rotate(degrees: 90), .rotate(degrees: 33), .rotate(degrees: 90, fit: false),
    .pad(20, color: .white), .extend(width: 400, height: 400, color: .white), .background(.white),
    .roundCorners(20, borderWidth: 3, borderColor: .white), .tint(.white, mode: .multiply), .blur(3), .sharpen(1),
    .pixelate(5), .grayscale(1), .sepia(), .brightness(0.1), .contrast(1.1), .saturation(0.5), .invert(),
    .duotone(shadows: .black, highlights: .white), .overlay(mark, name: "mark"),
    .watermark(mark, name: "mark", gravity: .southEast, opacity: 0.5),
    .crop(x: 10, y: 20, width: 200, height: 100).then(.resize(width: 120)).then(.rotate(degrees: 90)).then(
      .pad(7, color: .black)),
  ]

  @Test(arguments: pipelines) func sixteenBitsGoThroughEveryTransformer(pipeline: TransformerPipeline) async throws {
    let manager = try manager(picture())
    var context = Self.context
    context[.transformer] = pipeline
    let image = try await manager.image(for: url, context: context)
    #expect(image.bitmap.format.layout == .rgba16)
    #expect(image.metadata.color == Self.color)
    let encoded = try await manager.encoded(for: ImageRequest(url: url, context: context), as: EncodeRecipe(.png))
    #expect(encoded.key.suffixes.contains { $0.text == "Range(high)" })
    let again = try PNGCoder().decode(
      encoded.bytes, options: DecodeOptions(keepsHighRange: true), work: WorkContext())
    #expect(again.metadata.color == Self.color)
    let straight = try image.bitmap.converted(
      to: PixelFormat(.rgba16, alpha: image.bitmap.format.alpha == .opaque ? .opaque : .straight))
    #expect(again.bitmap == straight)
    // Eight bits on the way would leave only multiples of 257.
    let values = Set((0..<image.size.width).flatMap { words(again.bitmap, $0, image.size.height / 2).prefix(3) })
    #expect(values.contains { $0 % 257 != 0 })
  }

  @Test func aGradientOfSixteenBitsHasNoBands() async throws {
    let manager = try manager(picture())
    var context = Self.context
    context[.transformer] = .crop(x: 20, y: 0, width: 260, height: 200).then(.resize(width: 520)).then(
      .rotate(degrees: 180))
    let image = try await manager.image(for: url, context: context)
    // Each column of the result differs from the next by half a step of the original.
    for x in 20..<500 {
      let step = words(image.bitmap, x, 100)[0] - words(image.bitmap, x + 1, 100)[0]
      #expect((8...12).contains(step), "\(step) at \(x)")
    }
  }

  @Test func whiteThatIsDrawnIsPaperWhite() async throws {
    let manager = try manager(picture())
    var context = Self.context
    context[.transformer] = .pad(4, color: .white)
    let image = try await manager.image(for: url, context: context)
    // 203 candela per square metre are 58 per cent of PQ, and not the 10,000 of its full range.
    for word in words(image.bitmap, 0, 0).prefix(3) { #expect(abs(Double(word) / 65_535 - 0.581) < 0.003) }
    let shown = try image.bitmap.converted(from: Self.color)
    let padded = try await manager.image(for: url, context: [.transformer(.pad(4, color: .white))])
    #expect(padded.bitmap.pixel(x: 0, y: 0) == .white && shown.pixel(x: 0, y: 0)!.red > 220)
  }

  @Test func bothRangesHaveKeysOfTheirOwn() async throws {
    let manager = try manager(picture())
    let usual = try await manager.result(for: ImageRequest(url: url))
    let high = try await manager.result(for: ImageRequest(url: url, context: Self.context))
    #expect(usual.key != high.key && high.key.suffixes.map(\.text) == ["Range(high)"])
    #expect(usual.image.bitmap.format == .opaqueRGBA8 && usual.image.metadata.color == nil)
    #expect(high.image.bitmap.format.layout == .rgba16)
    #expect(try usual.image.bitmap == picture().bitmap.converted(from: Self.color, keeps16Bits: false))
  }

  @Test(arguments: [ImageFormat.jpeg, .webp, .gif])
  func formatsWithoutCodePointsGetToneMappedPixels(format: ImageFormat) async throws {
    let manager = try manager(picture(40, 30))
    let recipe = EncodeRecipe(format, options: EncodeOptions(quality: 1, chromaSubsampling: .full))
    let encoded = try await manager.encoded(for: ImageRequest(url: url, context: Self.context), as: recipe)
    let shown = try await manager.image(from: encoded.bytes)
    let expected = try picture(40, 30).bitmap.converted(from: Self.color, keeps16Bits: false)
    for (x, y) in [(0, 0), (20, 15), (39, 29), (5, 25)] {
      let (one, other) = (try #require(shown.bitmap.pixel(x: x, y: y)), try #require(expected.pixel(x: x, y: y)))
      #expect(abs(Int(one.red) - Int(other.red)) < 14 && abs(Int(one.green) - Int(other.green)) < 14)
    }
  }

  @Test func aFileOfHighRangeGoesOutUntouchedOnlyWhenItMay() async throws {
    let manager = try manager(picture(40, 30))
    let usual = try await manager.encoded(for: ImageRequest(url: url), as: EncodeRecipe(.png))
    let plain = try PNGCoder().probe(usual.bytes, work: WorkContext())
    #expect(plain.color == nil && plain.bitDepth == 8)
    let high = try await manager.encoded(for: ImageRequest(url: url, context: Self.context), as: EncodeRecipe(.png))
    #expect(try PNGCoder().probe(high.bytes, work: WorkContext()).color == Self.color)
  }

  // Documentation: colour and high dynamic range.
  @Test func theGuideKeepsTheRange() async throws {
    let manager = try manager(picture())
    let image = try await manager.image(
      for: url, context: [.keepsHighRange(true), .transformer(.resize(width: 1200))])
    if let color = image.metadata.color { print(color.coding.isHighRange, color.peakLuminance) }
    #expect(image.size.width == 1200 && image.metadata.color?.peakLuminance == 1000)
  }
}

/// A gain map goes with its picture through the manager, and a cache without room for it does not lose it.
struct GainMapsInTheManagerTests {
  private let loader = FakeLoader()
  private let url = URL(string: "http://host/ultra.jpg")!

  private func manager(disk: Bool = false) throws -> ImageManager {
    var image = Image(try Bitmap(size: PixelSize(width: 400, height: 300), format: .opaqueRGBA8))
    var map = try Bitmap(size: PixelSize(width: 100, height: 75), format: .gray8)
    map.withUnsafeMutableBytes { bytes in for index in bytes.indices { bytes[index] = UInt8(index % 100 * 2) } }
    image.metadata.gainMap = GainMap(
      map, formula: GainMap.Formula(greatestGain: SIMD3(repeating: 2), alternateHeadroom: 2))
    let file = try JPEGCoder().encode(image, as: .jpeg, options: EncodeOptions(), work: WorkContext())
    loader.script(url, .body(try file.withUnsafeBytes { Array($0) }))
    return ImageManager(
      ImageManager.Configuration(
        loader: LoaderChain([loader]), coder: CoderRegistry([PNGCoder(), JPEGCoder(), WebPCoder()]),
        cache: TieredCache(memory: LRUMemoryStore(), disk: disk ? RecordingDiskStore() : nil)))
  }

  private func map(in bytes: ImageBytes) throws -> GainMap? {
    try JPEGCoder().decode(bytes, options: DecodeOptions(), work: WorkContext()).metadata.gainMap
  }

  private static let context: ImageContext = [
    .transformer(.crop(x: 40, y: 20, width: 200, height: 200).then(.resize(width: 100)).then(.rotate(degrees: 90)))
  ]

  @Test func anEncodedVariantHasItsMap() async throws {
    let manager = try manager()
    let request = ImageRequest(url: url, context: Self.context)
    let encoded = try await manager.encoded(for: request, as: EncodeRecipe(.jpeg))
    let map = try #require(try map(in: encoded.bytes))
    #expect(map.bitmap.size == PixelSize(width: 25, height: 25))
    // Turned counter-clockwise, the map rises from bottom to top: from 10 to 60 columns of 2 each.
    let (low, high) = (try #require(map.bitmap.pixel(x: 12, y: 22)), try #require(map.bitmap.pixel(x: 12, y: 2)))
    #expect(abs(Int(low.red) - 30) <= 3 && abs(Int(high.red) - 110) <= 3)
    let flat = try await manager.encoded(
      for: request, as: EncodeRecipe(.jpeg, options: EncodeOptions(keepsGainMap: false)))
    #expect(try self.map(in: flat.bytes) == nil && flat.key != encoded.key)
  }

  @Test func aVariantFromTheDiskIsEncodedFromTheOriginal() async throws {
    let manager = try manager(disk: true)
    let request = ImageRequest(url: url, options: .waitStore, context: Self.context)
    #expect(try await manager.result(for: request).image.metadata.gainMap != nil)
    try await manager.configuration.cache.clear(.memory)
    let stored = try await manager.result(for: request)
    #expect(stored.source == .disk && stored.image.metadata.gainMap == nil)
    let encoded = try await manager.encoded(for: request, as: EncodeRecipe(.jpeg))
    #expect(try map(in: encoded.bytes) != nil)
  }
}
