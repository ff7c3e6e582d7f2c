import EaselEverything
import EaselTestSupport
import FoundationEssentials
import Testing

/// What bad input gets when it asks for encoded bytes: one clear error each, nothing stored, and limits that hold.
struct BadRecipeTests {
  private static let wrong: [(String, @Sendable () throws -> TransformerPipeline)] = [
    ("both are 0", { .resize(width: 0, height: 0) }),
    ("-1", { .resize(width: -1) }),
    ("-5", { .crop(width: -5, height: 5) }),
    ("pixels", { .crop(x: 4, y: 4, width: 0, height: 0) }),
    ("outside", { .crop(x: 100, y: 100, width: 10, height: 10) }),
    ("limit", { .resize(width: .max) }),
    ("limit", { .resize(width: 16_385) }),
    ("limit", { .resize(width: 16_000, height: 16_000) }),
    ("limit", { .pad(.max) }),
    ("limit", { .pad(top: .max, left: .max, bottom: .max, right: .max) }),
    ("negative", { .pad(-1) }),
    ("focal point", { .crop(width: 5, height: 5, gravity: .focalPoint(x: 1.5, y: 0)) }),
    ("focal point", { .crop(width: 5, height: 5, gravity: .focalPoint(x: .nan, y: 0)) }),
    ("focal point", { .resize(width: 5, height: 5, mode: .fill, gravity: .focalPoint(x: -1, y: 1e308)) }),
    ("ratio", { .crop(ratioWidth: 0, ratioHeight: 0) }),
    ("ratio", { .crop(ratioWidth: .infinity, ratioHeight: 1) }),
    ("ratio", { .extend(ratioWidth: -1, ratioHeight: 1) }),
    ("limit", { .extend(ratioWidth: 1e6, ratioHeight: 1) }),
    ("tolerance", { .trim(tolerance: .nan) }),
    ("tolerance", { .trim(tolerance: 1e308) }),
    ("share", { .crop(width: .share(2), height: .share(1)) }),
    (
      "pixel ratio",
      {
        var recipe = PixelRecipe()
        (recipe.width, recipe.pixelRatio) = (10, 1e308)
        return try recipe.pipeline()
      }
    ),
    (
      "zoom",
      {
        var recipe = PixelRecipe()
        recipe.zoomX = .nan
        return try recipe.pipeline()
      }
    ),
    (
      "limit",
      {
        var recipe = PixelRecipe()
        (recipe.width, recipe.height, recipe.enlarges) = (.max, .max, true)
        return try recipe.pipeline()
      }
    ),
  ]

  @Test(arguments: wrong.indices) func aPictureThatCannotBeMadeIsOneClearError(_ index: Int) async throws {
    let (word, pipeline) = Self.wrong[index]
    let (manager, cache, source) = try Self.studio()
    let error = await #expect(throws: ImageError.self) {
      try await manager.encoded(
        from: source, key: "a", as: EncodeRecipe(.png), context: [.transformer(try pipeline())])
    }
    #expect(error?.code == .transformFailed || error?.code == .limitExceeded)
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains(word), "\(text)")
    await manager.close()
    #expect(try await cache.count(in: .memory) == 0)
  }

  private static let recipes: [(String, EncodeOptions)] = [
    ("maxFileBytes", EncodeOptions(maxFileBytes: 1)),
    ("quality", EncodeOptions(quality: .nan)),
    ("quality", EncodeOptions(quality: 1e308)),
    ("quality", EncodeOptions(quality: -1)),
    ("bytes", EncodeOptions(maxFileBytes: .min)),
    ("maxPixelSize", EncodeOptions(maxPixelSize: PixelSize(width: 0, height: 0))),
    ("maxPixelSize", EncodeOptions(maxPixelSize: PixelSize(width: .min, height: .max))),
    ("compression level", EncodeOptions(compressionLevel: .max)),
  ]

  @Test(arguments: recipes.indices, [ImageFormat.png, .jpeg, .webp, .gif, .avif])
  func bytesThatCannotBeMadeAreOneClearError(_ index: Int, _ format: ImageFormat) async throws {
    let (word, options) = Self.recipes[index]
    let (manager, cache, source) = try Self.studio()
    let error = await #expect(throws: ImageError.self) {
      try await manager.encoded(from: source, key: "a", as: EncodeRecipe(format, options: options))
    }
    #expect(error?.code == .encodeFailed && error?.message.contains(word) == true, "\(error!)")
    await manager.close()
    #expect(try await cache.count(in: .memory) == 0)
  }

  private static func studio() throws -> (ImageManager, TieredCache, ImageBytes) {
    let cache = TieredCache(memory: LRUMemoryStore())
    let manager = ImageManager(.init(loader: LoaderChain([]), coder: .everything, cache: cache))
    var bitmap = try Bitmap(size: PixelSize(width: 20, height: 15), format: .opaqueRGBA8)
    bitmap.withUnsafeMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: index &* 31) }
    }
    let options = EncodeOptions(quality: 0.9)
    let source = try JPEGCoder().encode(Image(bitmap), as: .jpeg, options: options, work: WorkContext())
    return (manager, cache, source)
  }
}
