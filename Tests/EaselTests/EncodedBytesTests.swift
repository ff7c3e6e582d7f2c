import Easel
import EaselTestSupport
import FoundationEssentials
import Testing

/// Encoded bytes through the real coders, transformers and caches: the key decides the bytes, whatever the caches have.
struct EncodedBytesTests {
  private static let formats: [ImageFormat] = [.png, .jpeg, .gif, .webp]

  /// A picture in each format, one of them moving, some with alpha.
  private static func sources() throws -> [ImageBytes] {
    let still = Image(try stripes(PixelSize(width: 24, height: 17), hasAlpha: false))
    let clear = Image(try stripes(PixelSize(width: 19, height: 26), hasAlpha: true))
    let size = PixelSize(width: 16, height: 12)
    let frames = try [false, true, true].map { try stripes(size, hasAlpha: $0) }
    let durations = [Duration](repeating: .milliseconds(100), count: frames.count)
    let moving = Image(frames[0], frames: try FrameArray(frames, durations: durations))
    let options = EncodeOptions(quality: 0.9)
    return [
      try encoded(still, .jpeg, options), try encoded(clear, .png, options), try encoded(clear, .webp, options),
      try encoded(moving, .gif, options), try encoded(moving, .webp, options),
    ]
  }

  private static func encoded(_ image: Image, _ format: ImageFormat, _ options: EncodeOptions) throws -> ImageBytes {
    try CoderRegistry.standard.encode(image, as: format, options: options, work: WorkContext())
  }

  private static func stripes(_ size: PixelSize, hasAlpha: Bool) throws -> Bitmap {
    var bitmap = try Bitmap(size: size, format: hasAlpha ? .rgba8 : .opaqueRGBA8)
    bitmap.withUnsafeMutableBytes { bytes in
      for index in bytes.indices {
        let isAlpha = index % 4 == 3
        bytes[index] =
          isAlpha && !hasAlpha ? 255 : UInt8(truncatingIfNeeded: isAlpha ? index &* 3 : index &* 7 &+ index / 40)
      }
    }
    return bitmap
  }

  private static let pipelines: [TransformerPipeline] = [
    .identity, .resize(width: 10), .resize(within: PixelSize(width: 100, height: 100)),
    .resize(width: 8, height: 8, mode: .fill), .crop(ratioWidth: 1, ratioHeight: 1), .grayscale, .trim(),
    .resize(width: 12).then(.roundCorners(3)), .pad(2, color: .white), .rotate(degrees: 90),
  ]

  private static func options(_ random: inout SeededRandom) -> EncodeOptions {
    var options = EncodeOptions(
      quality: [nil, 0.8, 0.3, 1, 0.805].randomElement(using: &random)!,
      lossless: [nil, nil, false, true].randomElement(using: &random)!,
      firstFrameOnly: Int.random(in: 0..<4, using: &random) == 0,
      progressive: [nil, nil, false, true].randomElement(using: &random)!,
      chromaSubsampling: [nil, .full, .quarter].randomElement(using: &random)!,
      compressionLevel: [nil, 6, 1].randomElement(using: &random)!, allowsPalette: .random(using: &random),
      keepsMetadata: .random(using: &random))
    if Int.random(in: 0..<4, using: &random) == 0 { options.maxFileBytes = [400, 2000].randomElement(using: &random) }
    if Int.random(in: 0..<4, using: &random) == 0 { options.maxPixelSize = PixelSize(width: 9, height: 9) }
    if Int.random(in: 0..<4, using: &random) == 0 { options.backgroundColor = .black }
    return options
  }

  @Test func equalKeysGiveEqualBytesWhateverTheCachesHave() async throws {
    var random = SeededRandom(seed: 1808)
    let sources = try Self.sources()
    var known: [CacheKey: Data] = [:]
    var repeats = 0
    let recipes = (0..<20).map { number in
      var recipe = EncodeRecipe(Self.formats[number % 4], options: Self.options(&random))
      if number >= 16 {
        recipe.formats = Self.formats.shuffled(using: &random)
        recipe.keepsFormat = true
      }
      return recipe
    }
    // Several managers, because each keeps what it has made.
    for round in 0..<6 {
      let manager = ImageManager(.standard(cacheDirectory: nil))
      for _ in 0..<60 {
        let index = Int.random(in: sources.indices, using: &random)
        var context: ImageContext = [.transformer(Self.pipelines[.random(in: 0..<4, using: &random) + round % 2 * 4])]
        if Int.random(in: 0..<5, using: &random) == 0 { context[.thumbnailSize] = PixelSize(width: 11, height: 11) }
        let options: ImageOptions = Int.random(in: 0..<6, using: &random) == 0 ? .firstFrameOnly : []
        // A picture in memory must change nothing.
        if Bool.random(using: &random) {
          _ = try await manager.image(from: sources[index], key: "\(index)", options: options, context: context)
        }
        let recipe = recipes.randomElement(using: &random)!
        let encoded: EncodedImage
        do {
          encoded = try await manager.encoded(
            from: sources[index], key: "\(index)", as: recipe, options: options, context: context)
        } catch {
          // A limit on bytes may be too low for the format.
          #expect(error.code == .encodeFailed && recipe.options.maxFileBytes != nil, "\(error)")
          continue
        }
        let data = try encoded.bytes.data()
        if let before = known[encoded.key] {
          repeats += 1
          #expect(before == data, "\(encoded.key) in round \(round)")
        }
        known[encoded.key] = data
        try Self.check(encoded, recipe)
      }
    }
    #expect(repeats > 30, "Only \(repeats) keys came twice, which proves little.")
  }

  private static func check(_ encoded: EncodedImage, _ recipe: EncodeRecipe) throws {
    let header = try CoderRegistry.standard.probe(encoded.bytes, work: WorkContext())
    #expect(recipe.keepsFormat || header.format == recipe.formats[0])
    #expect(header.format == encoded.format && header.uprightSize == encoded.size, "\(encoded.key)")
    #expect(encoded.bytes.count <= recipe.options.maxFileBytes ?? .max)
    #expect(header.frameCount == 1 || !recipe.options.firstFrameOnly)
  }

  @Test func recipesThatMeanTheSameHaveOneKey() throws {
    let manager = ImageManager(.standard(cacheDirectory: nil))
    let request = ImageRequest("http://host/a.png")
    func key(_ format: ImageFormat, _ options: EncodeOptions = EncodeOptions()) -> String? {
      manager.cacheKey(for: request, as: EncodeRecipe(format, options: options))?.suffixes.last?.text
    }
    // What a format cannot express changes neither bytes nor key.
    #expect(key(.png, EncodeOptions(quality: 0.1, progressive: true)) == key(.png))
    #expect(key(.jpeg, EncodeOptions(lossless: true, firstFrameOnly: true, allowsPalette: true)) == key(.jpeg))
    #expect(key(.jpeg, EncodeOptions(quality: 0.8049)) == key(.jpeg, EncodeOptions(quality: 0.8)))
    // A default may be met by an original, but not what was asked for.
    #expect(key(.jpeg, EncodeOptions(quality: 0.8)) != key(.jpeg))
    #expect(key(.jpeg, EncodeOptions(progressive: false)) != key(.jpeg))
    #expect(key(.webp, EncodeOptions(chromaSubsampling: .full)) == key(.webp))
    #expect(key(.webp, EncodeOptions(quality: 0.79)) != key(.webp))
    var options = EncodeOptions()
    options.settings[EncodeOptions.Setting<Int>("another-coder")] = 3
    #expect(key(.webp, options) == key(.webp))
  }

  @Test func thePictureOfAKeyCanBeMadeAgainFromTheKeyAlone() async throws {
    let manager = ImageManager(.standard(cacheDirectory: nil))
    let source = try Self.sources()[1]
    let context: ImageContext = [.transformer(.resize(width: 10).then(.grayscale))]
    let recipe = EncodeRecipe(.jpeg, options: EncodeOptions(quality: 0.6, backgroundColor: .black))
    let first = try await manager.encoded(from: source, as: recipe, context: context)
    let suffixes = first.key.suffixes
    let pipeline = try TransformerPipeline(parsing: suffixes.dropLast().map(\.text).joined(separator: "-"))
    let again = try await manager.encoded(
      from: source, as: EncodeRecipe(parsing: suffixes.last!.text), context: [.transformer(pipeline)])
    #expect(try again.bytes.data() == first.bytes.data() && again.key.suffixes == first.key.suffixes)
  }

  @Test(arguments: [
    (0, ImageFormat.jpeg), (1, .png), (2, .webp), (3, .gif), (4, .webp),
  ])
  func theFormatOfTheOriginalIsKept(_ number: Int, _ format: ImageFormat) async throws {
    let manager = ImageManager(.standard(cacheDirectory: nil))
    var recipe = EncodeRecipe(.jpeg, .png, .gif, .webp)
    recipe.keepsFormat = true
    let context: ImageContext = [.transformer(.resize(width: 7))]
    let made = try await manager.encoded(from: Self.sources()[number], as: recipe, context: context)
    let header = try CoderRegistry.standard.probe(made.bytes, work: WorkContext())
    #expect(made.format == format && header.format == format && header.uprightSize.width == 7)
  }

  @Test(arguments: [
    (0, [ImageFormat.png, .gif], ImageFormat.png), (1, [.jpeg, .gif, .webp], .webp), (2, [.jpeg, .png, .gif], .png),
    (3, [.jpeg, .png, .webp], .png), (4, [.jpeg, .gif], .gif), (4, [.jpeg], .jpeg), (3, [.bmp, .jpeg], .bmp),
  ])
  func anotherFormatHoldsWhatThePictureHas(
    _ number: Int, _ formats: [ImageFormat], _ format: ImageFormat
  ) async throws {
    let manager = ImageManager(.standard(cacheDirectory: nil))
    var recipe = EncodeRecipe(firstOf: formats)
    recipe.keepsFormat = true
    let made = try await manager.encoded(from: Self.sources()[number], as: recipe)
    #expect(made.format == format)
  }
}
