import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

/// Recipes that no picture can be made by.
struct PixelRecipeMistakesTests {
  static let mistakes: [(String, @Sendable (inout PixelRecipe) -> Void)] = [
    ("pixel ratio", { $0.pixelRatio = 0 }), ("pixel ratio", { $0.pixelRatio = -1 }),
    ("pixel ratio", { $0.pixelRatio = 8.1 }), ("pixel ratio", { $0.pixelRatio = .nan }),
    ("pixel ratio", { $0.pixelRatio = 1e308 }), ("zoom", { $0.zoomX = 0 }), ("zoom", { $0.zoomY = -2 }),
    ("zoom", { $0.zoomX = .nan }), ("zoom", { $0.zoomY = 1e308 }), ("zoom", { $0.zoomY = .infinity }),
    ("side", { $0.width = -1 }), ("side", { $0.height = .min }), ("side", { $0.minimumWidth = -1 }),
    ("side", { $0.minimumHeight = .min }), ("padding", { $0.padding = .init(top: -1) }),
    ("padding", { $0.padding = .init(left: .min) }), ("trim takes only a trim", { $0.trim = .blur(1) }),
    ("crop takes only a crop", { $0.crop = [.crop(width: 3, height: 3), .trim()] }),
    ("turn takes only", { $0.turn = .grayscale }), ("watermark takes only", { $0.watermark = .pad(1) }),
    ("Blur", { $0.effects = .blur(.nan) }), ("Crop", { $0.crop = .crop(width: -1, height: 0) }),
    ("Resize", { ($0.width, $0.height, $0.fitting, $0.gravity) = (1, 1, .fill, .focalPoint(x: 2, y: 0)) }),
    ("Extend", { ($0.width, $0.bars) = (1, .toSize(gravity: .focalPoint(x: 0, y: -1))) }),
    ("Rotate", { $0.turn = .rotate(radians: .nan) }), ("Rotate", { $0.turn = .rotate(radians: .infinity) }),
    ("Trim", { $0.trim = .trim(tolerance: -1) }),
  ]

  @Test(arguments: 0..<mistakes.count) func badInputIsOneClearError(row: Int) {
    let (word, change) = Self.mistakes[row]
    var recipe = PixelRecipe()
    change(&recipe)
    let error = #expect(throws: ImageError.self) { try recipe.pipeline() }
    #expect(error?.code == .transformFailed && error?.message.contains(word) == true, "\(error!)")
  }

  static let huge: [@Sendable (inout PixelRecipe) -> Void] = [
    { ($0.width, $0.enlarges) = (.max, true) }, { ($0.width, $0.pixelRatio, $0.enlarges) = (.max, 8, true) },
    { ($0.width, $0.height, $0.zoomX, $0.enlarges) = (.max, .max, 1000, true) }, { $0.minimumWidth = .max },
    { ($0.zoomX, $0.zoomY, $0.enlarges) = (1000, 1000, true) }, { $0.padding = .init(right: .max, left: .max) },
    { ($0.padding, $0.pixelRatio) = (.init(top: 1_000_000_000), 8) }, { ($0.width, $0.bars) = (.max, .toSize()) },
    { ($0.width, $0.height, $0.bars) = (.max, 1, .toRatio()) }, { $0.padding = .init(top: 17_000) },
    { ($0.width, $0.height, $0.fitting, $0.enlarges) = (16_384, 16_384, .force, true) },
  ]

  @Test(arguments: 0..<huge.count) func resultsBeyondTheLimitsAreRefused(row: Int) throws {
    var recipe = PixelRecipe()
    Self.huge[row](&recipe)
    let pipeline = try recipe.pipeline()
    let error = #expect(throws: ImageError.self) { try pipeline.run(Bitmap.noise(40, 30, .rgba8)) }
    #expect(error?.code == .limitExceeded && error?.message.contains("Limits.result") == true)
    _ = pipeline.plan(for: PixelSize(width: 4000, height: 3000))
  }

  @Test(arguments: 0..<4 as Range<UInt64>) func noNumberCrashesARecipe(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let bitmap = try Bitmap.noise(5, 4, .rgba8)
    let mark = try PixelRecipeTests.mark.get()
    let limits = Limits(resultSide: 64)
    func int() -> Int { [0, 1, 3, 7, 63, 65, 1 << 24, 1 << 53, .max, -1, .min].randomElement(using: &random)! }
    func double() -> Double {
      let special: [Double] = [0, -0.0, 1, 0.5, 2, 1000, 1e-300, .leastNonzeroMagnitude, 1e308, .infinity, .nan, -1]
      return special.randomElement(using: &random)!
    }
    func length() -> TransformerPipeline.Length { .random(using: &random) ? .pixels(int()) : .share(double()) }
    func gravity() -> TransformerPipeline.Gravity {
      let places: [TransformerPipeline.Gravity] = [
        .north, .center, .southEast, .focalPoint(x: double(), y: double()),
      ]
      return places.randomElement(using: &random)!.inset(x: length(), y: length())
    }
    func sometimes(_ body: () throws -> Void) rethrows {
      if Int.random(in: 0..<4, using: &random) == 0 { try body() }
    }
    var made = 0
    for _ in 0..<2000 {
      var recipe = PixelRecipe()
      sometimes { recipe.width = int() }
      sometimes { recipe.height = int() }
      sometimes { (recipe.minimumWidth, recipe.minimumHeight) = (int(), int()) }
      sometimes { (recipe.zoomX, recipe.zoomY) = (double(), double()) }
      sometimes { recipe.pixelRatio = double() }
      sometimes { recipe.gravity = gravity() }
      sometimes { recipe.crop = .crop(width: length(), height: length(), gravity: gravity()) }
      sometimes { recipe.padding = .init(top: int(), left: int()) }
      sometimes { recipe.bars = .random(using: &random) ? .toSize(gravity: gravity()) : .toRatio(gravity: gravity()) }
      sometimes { recipe.turn = .rotate(radians: double(), fit: .random(using: &random)) }
      sometimes {
        recipe.watermark = .watermark(
          repeating: mark, name: "m", gapX: length(), gapY: length(), gravity: gravity(), scale: double())
      }
      recipe.fitting = PixelRecipe.Fitting.allCases.randomElement(using: &random)!
      recipe.enlarges = .random(using: &random)
      do {
        let pipeline = try recipe.pipeline()
        _ = pipeline.plan(for: PixelSize(width: 4000, height: 3000))
        #expect(
          try TransformerPipeline(parsing: pipeline.cacheKey, overlays: ["m": mark]).cacheKey == pipeline.cacheKey)
        let size = try pipeline.run(bitmap, limits: limits).size
        #expect(max(size.width, size.height) <= 64, "\(pipeline.cacheKey)")
        made += 1
      } catch let error as ImageError {
        #expect(error.code == .transformFailed || error.code == .limitExceeded, "\(error)")
      }
    }
    #expect(made > 100)
  }

  static let paddings: [([Int], TransformerPipeline.Insets)] = [
    ([7], .init(top: 7, right: 7, bottom: 7, left: 7)), ([1, 2], .init(top: 1, right: 2, bottom: 1, left: 2)),
    ([1, 2, 3], .init(top: 1, right: 2, bottom: 3, left: 2)),
    ([1, 2, 3, 4], .init(top: 1, right: 2, bottom: 3, left: 4)), ([0, .max], .init(right: .max, left: .max)),
  ]

  @Test(arguments: paddings) func aPaddingIsReadAsInCSS(numbers: [Int], insets: TransformerPipeline.Insets) throws {
    #expect(try TransformerPipeline.Insets(css: numbers) == insets)
  }

  @Test(arguments: [[], [1, 2, 3, 4, 5], [-1], [1, 2, 3, .min]]) func aPaddingThatIsNoneIsAnError(numbers: [Int]) {
    let error = #expect(throws: ImageError.self) { try TransformerPipeline.Insets(css: numbers) }
    #expect(error?.code == .transformFailed)
  }

  @Test func insetsPadByTheirSides() throws {
    let insets = TransformerPipeline.Insets(top: 1, right: 2, bottom: 3, left: 4)
    #expect(TransformerPipeline.pad(insets, color: .white).cacheKey == "Pad({1,4,3,2},#ffffffff)")
  }
}
