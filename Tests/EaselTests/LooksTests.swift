import EaselEverything
import EaselTestSupport
import FoundationEssentials
import Testing

/// Files of a wanted score, and the smallest of several that look as good.
struct LooksTests {
  private static let lossy: [ImageFormat] = [.jpeg, .webp, .avif, .jxl]
  private let coder = CoderRegistry.everything

  /// Soft waves with a hard edge, and grains in a part of them.
  private static func scene(_ width: Int = 120, _ height: Int = 88, hasAlpha: Bool = false) throws -> Bitmap {
    var bitmap = try Bitmap(
      size: PixelSize(width: width, height: height), format: hasAlpha ? .rgba8 : .opaqueRGBA8)
    var random = SeededRandom(seed: 46)
    let stride = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let grain = x > width / 2 ? Int.random(in: -9...9, using: &random) : 0
          let edge = (x - 40) * (x - 40) + (y - 44) * (y - 44) < 700 ? 70 : 0
          for channel in 0..<3 {
            let wave = (x * (3 + channel) + y * 2) % 120
            bytes[y * stride + x * 4 + channel] = UInt8(min(255, max(0, 40 + abs(wave - 60) + edge + grain)))
          }
          bytes[y * stride + x * 4 + 3] = hasAlpha ? UInt8(min(255, x * 3)) : 255
        }
      }
    }
    return bitmap
  }

  private func encoded(_ bitmap: Bitmap, _ format: ImageFormat, _ options: EncodeOptions) throws -> ImageBytes {
    try coder.encode(Image(bitmap), as: format, options: options, work: WorkContext())
  }

  private func decoded(_ bytes: ImageBytes) throws -> Bitmap {
    try coder.decode(bytes, options: DecodeOptions(), work: WorkContext()).bitmap
  }

  @Test(arguments: lossy, [65.0, 82])
  func aFileHasTheWantedScore(_ format: ImageFormat, _ score: Double) throws {
    let scene = try Self.scene()
    let file = try encoded(scene, format, .target(score: score))
    let found = try scene.visualScore(of: decoded(file))
    #expect(abs(found - score) <= 1.5, "\(found)")
  }

  @Test(arguments: lossy)
  func theFileIsThatOfAQuality(_ format: ImageFormat) throws {
    let scene = try Self.scene()
    let file = try encoded(scene, format, .target(score: 75)).data()
    let same = try (5...100).contains { percent in
      try encoded(scene, format, EncodeOptions(quality: Double(percent) / 100)).data() == file
    }
    #expect(same)
  }

  @Test(arguments: lossy)
  func aLimitOfBytesComesBeforeTheScore(_ format: ImageFormat) throws {
    let scene = try Self.scene()
    var options = EncodeOptions.target(score: 85)
    let whole = try encoded(scene, format, options).count
    options.maxFileBytes = whole * 3 / 4
    #expect(try encoded(scene, format, options).count <= whole * 3 / 4)
    options.maxFileBytes = whole
    #expect(try encoded(scene, format, options).count == whole)
  }

  @Test(arguments: lossy)
  func aSmallerPictureHasTheScoreAtItsSize(_ format: ImageFormat) throws {
    let scene = try Self.scene()
    var options = EncodeOptions.target(score: 75)
    options.maxPixelSize = PixelSize(width: 60, height: 60)
    let copy = try decoded(encoded(scene, format, options))
    #expect(copy.size == PixelSize(width: 60, height: 44))
    let small = try scene.resized(to: copy.size)
    let found = try small.visualScore(of: copy)
    // So few pixels cannot have every score in every format.
    let best = try small.visualScore(of: decoded(encoded(small, format, EncodeOptions(quality: 1))))
    #expect(abs(found - min(75, best)) <= 3, "\(found), at most \(best)")
  }

  @Test func transparentPicturesAreJudgedAsTheyAreWritten() throws {
    let scene = try Self.scene(hasAlpha: true)
    var options = EncodeOptions.target(score: 75)
    options.backgroundColor = .black
    let found = try scene.flattened(over: .black).visualScore(of: decoded(encoded(scene, .jpeg, options)))
    #expect(abs(found - 75) <= 1.5, "\(found)")
    let webp = try scene.visualScore(of: decoded(encoded(scene, .webp, options)))
    #expect(abs(webp - 75) <= 1.5, "\(webp)")
  }

  @Test func aFileWithoutLossNeedsNoScore() throws {
    let scene = try Self.scene()
    var options = EncodeOptions.target(score: 50)
    options.lossless = true
    #expect(try decoded(encoded(scene, .webp, options)) == scene)
  }

  @Test(arguments: [ImageFormat.webp, .avif])
  func aMovingPictureHasTheScoreOfItsFirstFrame(_ format: ImageFormat) throws {
    let frames = try [Self.scene(64, 48), Self.scene(64, 48).flipped(horizontally: false, vertically: true)]
    let moving = Image(
      frames[0], frames: try FrameArray(frames, durations: [.milliseconds(100), .milliseconds(100)]))
    let file = try coder.encode(moving, as: format, options: .target(score: 70), work: WorkContext())
    let image = try coder.decode(file, options: DecodeOptions(), work: WorkContext())
    #expect(image.frames?.count == 2)
    let found = try frames[0].visualScore(of: image.bitmap)
    // An AVIF that moves spends other bits on its first frame than a still one.
    #expect(abs(found - 70) <= (format == .avif ? 12 : 3), "\(found)")
  }

  @Test(arguments: lossy)
  func theScaleOfTheLibraryStaysReachable(_ format: ImageFormat) throws {
    let scene = try Self.scene()
    var library = EncodeOptions(quality: 0.6)
    library.settings[.qualityScale] = .library
    let isSame =
      try encoded(scene, format, library).data() == encoded(scene, format, EncodeOptions(quality: 0.6)).data()
    #expect(isSame == (format == .jpeg))
    let keys = try [library, EncodeOptions(quality: 0.6)].map { try key(format, $0) }
    #expect((keys[0] == keys[1]) == (format == .jpeg))
    // Keys of the time before there was a choice mean what they meant.
    #expect(format == .jpeg || keys[0].hasSuffix(",q60)"), "\(keys)")
  }

  private func key(_ format: ImageFormat, _ options: EncodeOptions) throws -> String {
    let manager = ImageManager(.standard(cacheDirectory: nil, coder: .everything))
    let request = ImageRequest(url: URL(string: "https://host/a.png"))
    let recipe = EncodeRecipe(format, options: options)
    return try #require(manager.cacheKey(for: request, as: recipe)?.suffixes.last?.text)
  }

  @Test(arguments: lossy)
  func keysTellTheScoreAndAreReadBack(_ format: ImageFormat) throws {
    let text = try key(format, .target(score: 75))
    #expect(text.contains(",score:75") && text.contains(",80,"))
    let again = try EncodeRecipe(parsing: text)
    #expect(try key(format, again.options) == text)
    // A score takes the place of the quality.
    var other = EncodeOptions.target(score: 75)
    other.quality = 0.3
    #expect(try key(format, other) == text)
  }

  // MARK: The smallest file

  @Test func theSmallestOfSeveralFilesIsTaken() async throws {
    let manager = ImageManager(.standard(cacheDirectory: nil, coder: .everything))
    let source = try encoded(Self.scene(), .png, EncodeOptions())
    let formats: [ImageFormat] = [.jpeg, .webp, .avif, .png]
    var recipe = EncodeRecipe(firstOf: formats, options: .target(score: 75))
    recipe.takesSmallest = true
    let made = try await manager.encoded(from: source, key: "a", as: recipe)
    var counts: [ImageFormat: Int] = [:]
    for format in formats {
      counts[format] = try await manager.encoded(
        from: source, key: "a", as: EncodeRecipe(format, options: recipe.options)
      ).bytes.count
    }
    #expect(made.bytes.count == counts.values.min() && counts[made.format] == made.bytes.count, "\(counts)")
    let text = try #require(made.key.suffixes.last?.text)
    #expect(text.hasPrefix("Encode(smallest:jpeg,80,"))
    let again = try EncodeRecipe(parsing: text)
    #expect(again.takesSmallest && !again.keepsFormat && again.formats == formats)
    let request = ImageRequest(url: URL(string: "https://host/a.png"))
    #expect(
      manager.cacheKey(for: request, as: again)?.suffixes.last
        == manager.cacheKey(for: request, as: recipe)?.suffixes.last)
  }

  @Test func whatThePictureHasIsKeptByTheSmallestFile() async throws {
    let manager = ImageManager(.standard(cacheDirectory: nil, coder: .everything))
    var recipe = EncodeRecipe(.jpeg, .webp, .png)
    recipe.takesSmallest = true
    let clear = try await manager.encoded(from: encoded(Self.scene(hasAlpha: true), .png, EncodeOptions()), as: recipe)
    #expect(clear.format == .webp || clear.format == .png)
    // An original never stands for the smallest file, even if it has one of the formats.
    let jpeg = try encoded(Self.scene(), .jpeg, EncodeOptions(quality: 1))
    let made = try await manager.encoded(from: jpeg, as: recipe)
    #expect(made.bytes.count < jpeg.count)
  }

  @Test func aFormatThatCannotHoldThePictureIsPassedOver() async throws {
    var configuration = ImageManager.Configuration.standard(cacheDirectory: nil, coder: .everything)
    configuration.limits.resultSide = 20_000
    let manager = ImageManager(configuration)
    let long = try encoded(Self.scene(16_400, 2), .png, EncodeOptions())
    var recipe = EncodeRecipe(.webp, .png)
    recipe.takesSmallest = true
    #expect(try await manager.encoded(from: long, as: recipe).format == .png)
    recipe.formats = [.webp, .gif]
    let most = ImageFormat.webp
    await #expect(throws: ImageError.self) { try await manager.encoded(from: long, as: EncodeRecipe(most)) }
  }
}
