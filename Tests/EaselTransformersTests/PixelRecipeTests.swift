import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

struct PixelRecipeTests {
  private static let red = PixelColor(red: 200, green: 10, blue: 10)
  private static let mark = Result { try Bitmap.noise(5, 4, .rgba8, seed: 7) }

  private func key(_ change: (inout PixelRecipe) throws -> Void) throws -> String {
    var recipe = PixelRecipe()
    try change(&recipe)
    return try recipe.pipeline().cacheKey
  }

  // MARK: Steps

  @Test func theStepsHaveOneOrder() throws {
    let mark = try Self.mark.get()
    let key = try key {
      $0.watermark = .watermark(mark, name: "logo")
      $0.padding = try .init(css: [1, 2, 3, 4])
      $0.bars = .toSize(gravity: .north)
      $0.background = Self.red
      $0.effects = [.blur(1), .sepia()]
      $0.turn = .rotate(degrees: 180)
      $0.width = 30
      $0.crop = .crop(ratioWidth: 1, ratioHeight: 1)
      $0.trim = .trim()
    }
    #expect(
      key == "Trim(10,-,0,0)-CropRatio(1,ce)-Resize({30,0},4)-Rotate(3.141592653589793,1)-Blur(1)-Sepia(1)"
        + "-Background(#ffc80a0a)-Extend({30,0},#ffc80a0a,no)-Pad({1,4,3,2},#ffc80a0a)-Watermark(logo,soea,1,0)")
  }

  @Test func aRecipeThatChangesNothingIsTheIdentity() throws {
    #expect(try PixelRecipe().pipeline().isIdentity)
    let key = try key {
      (($0.fitting, $0.gravity), $0.enlarges) = ((.fill, .south), true)
      $0.zoomX = 1
      $0.pixelRatio = 1
      $0.turn = [.rotate(degrees: 90), .flip(horizontal: true), .rotate(degrees: 90), .flip(horizontal: true), .flip()]
      $0.effects = [.blur(0), .grayscale(-0.0), .brightness(1), .pixelate(1), .roundCorners(0), .rotate(degrees: 720)]
      $0.crop = .crop(shareX: 0, shareY: -0.0, shareWidth: 1, shareHeight: 1)
      $0.background = PixelColor(red: 9, green: 9, blue: 9, alpha: 0)
      $0.bars = .toSize()
    }
    #expect(key == "")
  }

  static let sizes: [(name: String, expected: String, recipe: @Sendable (inout PixelRecipe) -> Void)] = [
    ("fit", "Resize({300,200},4)", { ($0.width, $0.height) = (300, 200) }),
    ("fit, enlarged", "Resize({300,200},3)", { ($0.width, $0.height, $0.enlarges) = (300, 200, true) }),
    ("width", "Resize({300,0},4)", { $0.width = 300 }),
    ("width, enlarged", "Resize({300,0},0)", { ($0.width, $0.enlarges, $0.fitting) = (300, true, .aspectFill) }),
    (
      "fill", "Resize({300,200},2,no,shrink)",
      {
        ($0.width, $0.height, $0.fitting, $0.gravity) = (300, 200, .aspectFill, .north)
      }
    ),
    (
      "fill down", "Resize({300,200},2,shrink,ratio)",
      {
        ($0.width, $0.height, $0.fitting) = (300, 200, .aspectFillDown)
      }
    ),
    (
      "fill down, enlarged", "Resize({300,200},2)",
      {
        ($0.width, $0.height, $0.fitting, $0.enlarges) = (300, 200, .aspectFillDown, true)
      }
    ),
    ("force", "Resize({300,200},0,shrink)", { ($0.width, $0.height, $0.fitting) = (300, 200, .fill) }),
    (
      "auto", "Resize({300,200},2,auto)",
      {
        ($0.width, $0.height, $0.fitting, $0.enlarges) = (300, 200, .automatic, true)
      }
    ),
    ("ratio", "Resize({600,400},4)", { ($0.width, $0.height, $0.pixelRatio) = (300, 200, 2) }),
    ("ratio rounds", "Resize({452,0},4)", { ($0.width, $0.pixelRatio) = (301, 1.5) }),
    ("least ratio", "Resize({1,0},4)", { ($0.width, $0.pixelRatio) = (1, 0.01) }),
    ("zoom", "Resize({600,400},4)", { ($0.width, $0.height, $0.zoomX, $0.zoomY) = (300, 200, 2, 2) }),
    (
      "zoom and ratio", "Resize({600,0},4)",
      {
        ($0.width, $0.zoomX, $0.zoomY, $0.pixelRatio) = (100, 1.5, 1.5, 4)
      }
    ),
    ("stretching zoom", "Resize({300,200},3,zoom{2,1},shrink)", { ($0.width, $0.height, $0.zoomX) = (300, 200, 2) }),
    ("zoom alone", "Resize({0,0},0,zoom{0.5,0.5})", { ($0.zoomX, $0.zoomY) = (0.5, 0.5) }),
    ("zoom that may not enlarge", "", { ($0.zoomX, $0.zoomY) = (3, 3) }),
    ("zoom that enlarges", "Resize({0,0},0,zoom{3,3})", { ($0.zoomX, $0.zoomY, $0.enlarges) = (3, 3, true) }),
    ("ratio alone", "Resize({0,0},0,zoom{2,2})", { ($0.pixelRatio, $0.enlarges) = (2, true) }),
    ("ratio alone that may not enlarge", "", { $0.pixelRatio = 2 }),
    ("least", "Resize({0,0},0,least{20,0})", { ($0.minimumWidth, $0.pixelRatio) = (10, 2) }),
    (
      "least and size", "Resize({30,0},0,we,least{60,8},shrink)",
      {
        ($0.width, $0.minimumWidth, $0.minimumHeight, $0.gravity) = (30, 60, 8, .west)
      }
    ),
    (
      "turned", "Resize({200,300},4)-Rotate(1.5707963267948966,1)",
      {
        ($0.width, $0.height, $0.turn) = (300, 200, .rotate(degrees: 90))
      }
    ),
    (
      "turned zoom", "Resize({0,300},0,zoom{1,2},least{0,9},shrink)-Rotate(-1.5707963267948966,1)",
      {
        ($0.width, $0.zoomX, $0.minimumWidth, $0.turn) = (300, 2, 9, .rotate(degrees: -90))
      }
    ),
    (
      "tilted", "Resize({300,200},4)-Rotate(0.7853981633974483,1)-Flip(1,0)",
      {
        ($0.width, $0.height, $0.turn) = (300, 200, [.rotate(degrees: 45), .flip(horizontal: true)])
      }
    ),
    ("filter", "Resize({300,0},4,1)", { ($0.width, $0.filter) = (300, .box) }),
    (
      "insets", "Resize({30,30},2,no{0,10},shrink,dpr{2})",
      {
        ($0.width, $0.height, $0.fitting, $0.pixelRatio) = (30, 30, .aspectFill, 2)
        $0.gravity = .north.inset(x: 0, y: 5)
      }
    ),
  ]

  @Test(arguments: 0..<sizes.count) func sizesBecomeOneResize(row: Int) throws {
    let (name, expected, recipe) = Self.sizes[row]
    #expect(try key(recipe) == expected, "\(name)")
  }

  @Test func surroundingsGrowWithThePixelRatio() throws {
    let mark = try Self.mark.get()
    let key = try key {
      ($0.width, $0.height, $0.pixelRatio, $0.zoomY) = (30, 20, 1.5, 2)
      $0.bars = .toSize(gravity: .southEast.inset(x: .pixels(2), y: .share(0.1)))
      $0.padding = .init(top: 1, right: 2)
      $0.watermark = [
        .watermark(repeating: mark, name: "m", gapX: .pixels(4), gapY: .share(0.5), gravity: .west.inset(x: 10, y: 0)),
        .overlay(mark, name: "n", insetX: 3, insetY: -2),
      ]
    }
    #expect(
      key == "Resize({45,30},3,zoom{1,2},shrink)-Extend({45,60},#00000000,soea{3,0.1s})-Pad({2,0,0,3},#00000000)"
        + "-Watermark(m,we{15,0},1,0,{6,0.5s})-Overlay(n,8,{5,-3},1,0)")
  }

  @Test func barsUpToARatioNeedBothSides() throws {
    #expect(try key { ($0.width, $0.bars) = (30, .toRatio()) } == "Resize({30,0},4)")
    let both = try key { ($0.width, $0.height, $0.bars) = (30, 20, .toRatio(gravity: .north)) }
    #expect(both == "Resize({30,20},4)-ExtendRatio(1.5,#00000000,no)")
    #expect(try key { $0.bars = .toRatio() } == "")
  }

  @Test func everyTurnIsWrittenWithFewSteps() throws {
    let bitmap = try Bitmap.noise(7, 4, .rgba8)
    let turns: [TransformerPipeline] = [
      .flip(horizontal: true), .flip(vertical: true), .flip(horizontal: true, vertical: true), .rotate(degrees: 90),
      .rotate(degrees: 180), .rotate(degrees: 270),
    ]
    var keys: [[UInt8]: String] = [:]
    for (one, two) in turns.flatMap({ one in turns.map { (one, $0) } }) {
      for three in turns {
        var recipe = PixelRecipe()
        recipe.turn = [one, two, three]
        let pipeline = try recipe.pipeline()
        let result = try recipe.turn.run(bitmap)
        #expect(try pipeline.run(bitmap) == result && pipeline.members.count <= 2)
        let pixels = result.withUnsafeBytes { [UInt8(result.width)] + Array($0) }
        #expect(keys.updateValue(pipeline.cacheKey, forKey: pixels).map { $0 == pipeline.cacheKey } != false)
      }
    }
    #expect(keys.count == 8)
  }

  // MARK: Pixels

  @Test func theBackgroundLiesBehindThePictureAndItsBars() throws {
    let hole = try Bitmap(4, 2, .rgba8) { x, _ in x == 0 ? [0, 0, 0, 0] : [0, 0, 255, 255] }
    var recipe = PixelRecipe()
    (recipe.width, recipe.height, recipe.bars, recipe.background) = (4, 4, .toSize(), Self.red)
    recipe.padding = .init(left: 1)
    let result = try recipe.pipeline().run(hole)
    #expect(result.size == PixelSize(width: 5, height: 4) && result.format == .opaqueRGBA8)
    let (red, blue) = ([200, 10, 10, 255], [0, 0, 255, 255])
    #expect(result.components(0, 1) == red && result.components(1, 1) == red && result.components(2, 1) == blue)
    #expect(result.components(2, 0) == red && result.components(2, 3) == red)
    recipe.background = PixelColor(red: 200, green: 10, blue: 10, alpha: 51)
    let glass = try recipe.pipeline().run(hole)
    #expect(glass.components(0, 0) == [200, 10, 10, 51] && glass.components(1, 1) == [200, 10, 10, 51])
    #expect(glass.components(2, 1) == blue)
  }

  @Test func aTurnedRecipeHasTheSizeThatWasAskedFor() throws {
    var recipe = PixelRecipe()
    (recipe.width, recipe.height, recipe.fitting) = (12, 6, .aspectFill)
    for turn in [TransformerPipeline.identity, .rotate(degrees: 90), [.flip(), .rotate(degrees: 270)]] {
      recipe.turn = turn
      #expect(try recipe.pipeline().run(Bitmap.noise(40, 30, .rgba8)).size == PixelSize(width: 12, height: 6))
    }
  }

  @Test func theGravityIsThatOfTheTurnedPicture() throws {
    let bitmap = try Bitmap.noise(40, 30, .rgba8)
    let gravities: [TransformerPipeline.Gravity] = [
      .center, .north, .northEast, .east, .southEast, .south, .southWest, .west, .northWest,
      .focalPoint(x: 0.25, y: 0.875), .center.inset(x: 3, y: -4), .north.inset(x: 2, y: 3),
      .southWest.inset(x: .share(0.1), y: .pixels(2)), .focalPoint(x: 0.5, y: 0.3).inset(x: -2, y: 1),
    ]
    for quarters in 0..<4 {
      for flip in [TransformerPipeline.identity, .flip(horizontal: true), .flip(vertical: true)] {
        for gravity in gravities {
          var recipe = PixelRecipe()
          recipe.turn = TransformerPipeline.rotate(degrees: Double(90 * quarters)).then(flip)
          (recipe.width, recipe.height, recipe.fitting, recipe.gravity) = (16, 12, .aspectFill, gravity)
          recipe.filter = .nearest
          // The least sides keep the picture from being reduced, so that whole pixels are cut off.
          (recipe.minimumWidth, recipe.minimumHeight) = quarters % 2 == 0 ? (40, 30) : (30, 40)
          let cut = recipe.turn.then(.crop(width: 16, height: 12, gravity: gravity))
          #expect(try recipe.pipeline().run(bitmap) == cut.run(bitmap), "\(recipe.turn.cacheKey) \(cut.cacheKey)")
        }
      }
    }
  }

  @Test func aRecipeDecodesSmallAndMergesItsCrop() throws {
    var recipe = PixelRecipe()
    recipe.crop = .crop(ratioWidth: 1, ratioHeight: 1, gravity: .north)
    (recipe.width, recipe.pixelRatio, recipe.effects) = (50, 2, .grayscale)
    let plan = try recipe.pipeline().plan(for: PixelSize(width: 4000, height: 3000))
    #expect(plan.leastSize == PixelSize(width: 267, height: 200))
    #expect(try recipe.pipeline().merged.members.count == 2)
  }

  @Test func aMovingPictureKeepsOneSize() throws {
    let bitmaps = try (0..<3).map { try Bitmap.noise(40, 30, .rgba8, seed: $0 + 1) }
    let image = Image(bitmaps[0], frames: try FrameArray(bitmaps, each: .milliseconds(40)))
    var recipe = PixelRecipe()
    (recipe.width, recipe.height, recipe.fitting, recipe.bars) = (20, 50, .aspectFillDown, .toSize())
    (recipe.padding, recipe.background) = (.init(top: 1), .white)
    recipe.watermark = .watermark(repeating: try Self.mark.get(), name: "m", gapX: .pixels(1), scale: 0.2)
    let pipeline = try recipe.pipeline()
    let frames = try #require(try pipeline.transformAllFrames(of: image, work: WorkContext()).frames)
    #expect(frames.canvasSize == PixelSize(width: 20, height: 51))
    for index in 0..<3 { #expect(try frames.frame(at: index) == pipeline.run(bitmaps[index])) }
    let tight = Limits(totalPixels: 20 * 51 * 3 - 1)
    let error = #expect(throws: ImageError.self) {
      try pipeline.transformAllFrames(of: image, work: WorkContext(limits: tight))
    }
    #expect(error?.code == .limitExceeded)
  }

  // MARK: Bad input

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
    ("Resize", { ($0.width, $0.height, $0.fitting, $0.gravity) = (1, 1, .aspectFill, .focalPoint(x: 2, y: 0)) }),
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
    { ($0.width, $0.height, $0.fitting, $0.enlarges) = (16_384, 16_384, .fill, true) },
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
    var random = SeededRandom(seed)
    let bitmap = try Bitmap.noise(5, 4, .rgba8)
    let mark = try Self.mark.get()
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

  // MARK: Keys and pixels

  /// A recipe out of few values, so that different recipes often mean the same.
  private func randomRecipe(_ random: inout SeededRandom) throws -> PixelRecipe {
    var recipe = PixelRecipe()
    for change in 0..<Self.changes.count where Int.random(in: 0..<3, using: &random) == 0 {
      Self.changes[change](&recipe, &random)
    }
    if Int.random(in: 0..<6, using: &random) == 0 {
      recipe.watermark = .watermark(
        repeating: try Self.mark.get(), name: "m", gapX: .pixels(.random(in: 0...2, using: &random)), opacity: 0.5)
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
    { $0.filter = [.lanczos3, .box, .nearest].randomElement(using: &$1)! }, { $0.linearLight = .random(using: &$1) },
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
    { $0.background = [nil, .white, .clear, red].randomElement(using: &$1)! },
    { $0.bars = [nil, .toSize(), .toRatio(gravity: .north), .toSize(gravity: .east)].randomElement(using: &$1)! },
    { $0.padding.top = .random(in: 0...2, using: &$1) }, { $0.padding.left = .random(in: 0...2, using: &$1) },
  ]

  @Test(arguments: 0..<4 as Range<UInt64>) func equalKeysMeanEqualPixels(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let bitmap = try Bitmap.noise(13, 9, .rgba8)
    let mark = try Self.mark.get()
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
    var random = SeededRandom(seed)
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
    var random = SeededRandom(seed)
    for _ in 0..<200 {
      var recipe = try randomRecipe(&random)
      recipe.width += 1
      recipe.pixelRatio = 2
      // A cut also keeps its shape if the picture has too few pixels.
      if [.aspectFill, .automatic].contains(recipe.fitting) { recipe.enlarges = true }
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
    (recipe.width, recipe.height, recipe.fitting) = (60, 40, .aspectFill)
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
    var random = SeededRandom(seed)
    let bitmap = try Bitmap.waves(403, 301)
    var planned = 0
    for _ in 0..<40 {
      var recipe = try randomRecipe(&random)
      (recipe.trim, recipe.linearLight, recipe.filter) = (
        .identity, false, [.lanczos3, .box].randomElement(using: &random)!
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
