import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

/// Recipes at random: what their keys say about their pixels.
struct PixelRecipeKeysTests {
  /// A recipe out of few values, so that different recipes often mean the same.
  private func randomRecipe(_ random: inout SeededRandom) throws -> PixelRecipe {
    var recipe = PixelRecipe()
    for change in 0..<Self.changes.count where Int.random(in: 0..<3, using: &random) == 0 {
      Self.changes[change](&recipe, &random)
    }
    if Int.random(in: 0..<6, using: &random) == 0 {
      recipe.watermark = .watermark(
        repeating: try PixelRecipeTests.mark.get(), name: "m", gapX: .pixels(.random(in: 0...2, using: &random)),
        opacity: 0.5)
    }
    return recipe
  }

  private static let changes: [@Sendable (inout PixelRecipe, inout SeededRandom) -> Void] = [
    { $0.width = [0, 6, 12, 24][.random(in: 0..<4, using: &$1)] },
    { $0.height = [0, 6, 12, 24][.random(in: 0..<4, using: &$1)] },
    { $0.fitting = PixelRecipe.Fitting.allCases.randomElement(using: &$1)! },
    { $0.gravity = [.north, .southEast, .focalPoint(x: 0.1, y: 0.5)].randomElement(using: &$1)! },
    { $0.enlarges = .random(using: &$1) },
    { $0.minimumWidth = [0, 6, 20].randomElement(using: &$1)! },
    { $0.minimumHeight = [0, 6, 20].randomElement(using: &$1)! },
    { $0.zoomX = [1, 2, 0.5].randomElement(using: &$1)! }, { $0.zoomY = [1, 2, 0.5].randomElement(using: &$1)! },
    { $0.pixelRatio = [1, 2, 0.5].randomElement(using: &$1)! },
    { $0.filter = [.lanczos3, .box, .nearest].randomElement(using: &$1)! },
    { $0.fidelity = TransformerPipeline.Fidelity.allCases.randomElement(using: &$1)! },
    {
      $0.crop = [
        .crop(width: 10, height: 0), .crop(ratioWidth: 1, ratioHeight: 1, gravity: .west),
        .crop(shareX: 0, shareY: 0, shareWidth: 1, shareHeight: 1), .crop(x: 0, y: 0, width: 99, height: 8),
      ].randomElement(using: &$1)!
    },
    { $0.trim = [.trim(), .trim(tolerance: 255)].randomElement(using: &$1)! },
    {
      let turns: [TransformerPipeline] = [
        .rotate(degrees: 90), .rotate(degrees: 180), .flip(horizontal: true), .flip(vertical: true),
      ]
      for _ in 0..<3 { $0.turn = $0.turn.then(turns.randomElement(using: &$1)!) }
    },
    { $0.effects = [.grayscale, .blur(0), .brightness(1), .pixelate(2)].randomElement(using: &$1)! },
    { $0.background = [nil, .white, .clear, PixelRecipeTests.red].randomElement(using: &$1)! },
    { $0.bars = [nil, .toSize(), .toRatio(gravity: .north), .toSize(gravity: .east)].randomElement(using: &$1)! },
    { $0.padding.top = .random(in: 0...2, using: &$1) }, { $0.padding.left = .random(in: 0...2, using: &$1) },
  ]

  @Test(arguments: 0..<4 as Range<UInt64>) func equalKeysMeanEqualPixels(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let bitmap = try Bitmap.noise(13, 9, .rgba8)
    let mark = try PixelRecipeTests.mark.get()
    var made: [String: Bitmap] = [:]
    var repeats = 0
    for _ in 0..<500 {
      let recipe = try randomRecipe(&random)
      let pipeline = try recipe.pipeline()
      let pixels = try pipeline.run(bitmap)
      if let other = made.updateValue(pixels, forKey: pipeline.cacheKey) {
        repeats += 1
        #expect(pixels == other, "\(pipeline.cacheKey)")
      }
      let parsed = try TransformerPipeline(parsing: pipeline.cacheKey, overlays: ["m": mark])
      #expect(parsed.cacheKey == pipeline.cacheKey)
      #expect(try parsed.run(bitmap) == pixels, "\(pipeline.cacheKey)")
    }
    #expect(repeats > 10)
  }

  @Test(arguments: 4..<8 as Range<UInt64>) func aChangeOfPixelsIsAChangeOfTheKey(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let bitmap = try Bitmap.noise(13, 9, .rgba8)
    var changedPixels = 0
    for _ in 0..<300 {
      let recipe = try randomRecipe(&random)
      var changed = recipe
      Self.changes.randomElement(using: &random)!(&changed, &random)
      let (one, other) = (try recipe.pipeline(), try changed.pipeline())
      if try one.run(bitmap) != other.run(bitmap) {
        changedPixels += 1
        #expect(one.cacheKey != other.cacheKey)
      }
    }
    #expect(changedPixels > 60)
  }

  @Test(arguments: 8..<12 as Range<UInt64>) func theRatioOfPixelsMultipliesWhatIsMeasuredInThem(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<200 {
      var recipe = try randomRecipe(&random)
      recipe.width += 1
      recipe.pixelRatio = 2
      // A cut also keeps its shape if the picture has too few pixels.
      if [.fill, .auto].contains(recipe.fitting) { recipe.enlarges = true }
      var plain = recipe
      plain.pixelRatio = 1
      (plain.width, plain.height) = (2 * recipe.width, 2 * recipe.height)
      (plain.minimumWidth, plain.minimumHeight) = (2 * recipe.minimumWidth, 2 * recipe.minimumHeight)
      plain.padding = .init(top: 2 * recipe.padding.top, left: 2 * recipe.padding.left)
      recipe.watermark = .identity
      plain.watermark = .identity
      #expect(try recipe.pipeline().cacheKey == plain.pipeline().cacheKey)
    }
  }

  @Test(arguments: [(8, 6), (300, 200), (900, 800), (1000, 700)])
  func aCutKeepsItsShapeAtAnyPixelRatio(width: Int, height: Int) throws {
    var recipe = PixelRecipe()
    (recipe.width, recipe.height, recipe.fitting) = (60, 40, .fill)
    let bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .rgba8)
    let plain = try recipe.pipeline().run(bitmap).size
    var last = plain
    for ratio in [1.5, 2, 3, 8] {
      recipe.pixelRatio = ratio
      let size = try recipe.pipeline().run(bitmap).size
      #expect(size.width >= last.width && size.width <= width && size.height <= height)
      #expect(abs(size.width * plain.height - size.height * plain.width) <= plain.width + plain.height)
      last = size
    }
    #expect(last.width == min(width, 480))
  }

  /// Runs random recipes step by step on a full picture, and by their plan on a smaller decode.
  @Test(arguments: 12..<16 as Range<UInt64>) func plansOfRecipesMakeNearlyTheSamePixels(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let bitmap = try Bitmap.waves(403, 301)
    var planned = 0
    for _ in 0..<40 {
      var recipe = try randomRecipe(&random)
      (recipe.trim, recipe.fidelity, recipe.filter) = (
        .identity, .fast, [.lanczos3, .box].randomElement(using: &random)!
      )
      recipe.width += Int.random(in: 20...60, using: &random)
      let pipeline = try recipe.pipeline()
      let plan = pipeline.plan(for: bitmap.size)
      guard let least = plan.leastSize else { continue }
      // A part of a few pixels is all edge, which a smaller decode mixes with what lies outside.
      if recipe.crop.cacheKey.hasPrefix("Crop({") { continue }
      planned += 1
      let result = try plan.transformer.run(try bitmap.resized(to: least, filter: .box))
      let expected = try pipeline.run(bitmap)
      #expect(result.size == expected.size)
      #expect(result.signalToNoise(against: expected) >= 40, "\(pipeline.cacheKey) at \(least)")
    }
    #expect(planned > 5)
  }
}
