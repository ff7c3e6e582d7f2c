import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

struct PixelRecipeTests {
  static let red = PixelColor(red: 200, green: 10, blue: 10)
  static let mark = Result { try Bitmap.noise(5, 4, .rgba8, seed: 7) }

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
      key == "Trim(10,-,0,0)-CropRatio(1,ce)-Resize({30,0},4,4,1)-Rotate(3.141592653589793,1)-Blur(1)-Sepia(1)"
        + "-Background(#ffc80a0a)-Extend({30,0},#ffc80a0a,no)-Pad({1,4,3,2},#ffc80a0a)-Watermark(logo,soea,1,0)")
  }

  @Test func aRecipeThatChangesNothingIsTheIdentity() throws {
    #expect(try PixelRecipe().pipeline().isIdentity)
    let key = try key {
      (($0.fitting, $0.gravity), $0.enlarges) = ((.force, .south), true)
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
    ("fit", "Resize({300,200},4,4,1)", { ($0.width, $0.height) = (300, 200) }),
    ("fit, enlarged", "Resize({300,200},3,4,1)", { ($0.width, $0.height, $0.enlarges) = (300, 200, true) }),
    ("width", "Resize({300,0},4,4,1)", { $0.width = 300 }),
    ("width, enlarged", "Resize({300,0},0,4,1)", { ($0.width, $0.enlarges, $0.fitting) = (300, true, .fill) }),
    (
      "fill", "Resize({300,200},2,4,1,no,shrink)",
      {
        ($0.width, $0.height, $0.fitting, $0.gravity) = (300, 200, .fill, .north)
      }
    ),
    (
      "fill down", "Resize({300,200},2,4,1,shrink,ratio)",
      {
        ($0.width, $0.height, $0.fitting) = (300, 200, .fillDown)
      }
    ),
    (
      "fill down, enlarged", "Resize({300,200},2,4,1)",
      {
        ($0.width, $0.height, $0.fitting, $0.enlarges) = (300, 200, .fillDown, true)
      }
    ),
    (
      "pad", "Resize({300,200},4,4,1)-Extend({300,200},#00000000,no)",
      { ($0.width, $0.height, $0.fitting, $0.gravity) = (300, 200, .pad, .north) }
    ),
    (
      "pad, with other bars", "Resize({300,200},4,4,1)-ExtendRatio(1.5,#00000000,ce)",
      { ($0.width, $0.height, $0.fitting, $0.bars) = (300, 200, .pad, .toRatio()) }
    ),
    ("force", "Resize({300,200},0,4,1,shrink)", { ($0.width, $0.height, $0.fitting) = (300, 200, .force) }),
    (
      "auto", "Resize({300,200},2,4,1,auto)",
      {
        ($0.width, $0.height, $0.fitting, $0.enlarges) = (300, 200, .auto, true)
      }
    ),
    ("ratio", "Resize({600,400},4,4,1)", { ($0.width, $0.height, $0.pixelRatio) = (300, 200, 2) }),
    ("ratio rounds", "Resize({452,0},4,4,1)", { ($0.width, $0.pixelRatio) = (301, 1.5) }),
    ("least ratio", "Resize({1,0},4,4,1)", { ($0.width, $0.pixelRatio) = (1, 0.01) }),
    ("zoom", "Resize({600,400},4,4,1)", { ($0.width, $0.height, $0.zoomX, $0.zoomY) = (300, 200, 2, 2) }),
    (
      "zoom and ratio", "Resize({600,0},4,4,1)",
      {
        ($0.width, $0.zoomX, $0.zoomY, $0.pixelRatio) = (100, 1.5, 1.5, 4)
      }
    ),
    (
      "stretching zoom", "Resize({300,200},3,4,1,zoom{2,1},shrink)", { ($0.width, $0.height, $0.zoomX) = (300, 200, 2) }
    ),
    ("zoom alone", "Resize({0,0},0,4,1,zoom{0.5,0.5})", { ($0.zoomX, $0.zoomY) = (0.5, 0.5) }),
    ("zoom that may not enlarge", "", { ($0.zoomX, $0.zoomY) = (3, 3) }),
    ("zoom that enlarges", "Resize({0,0},0,4,1,zoom{3,3})", { ($0.zoomX, $0.zoomY, $0.enlarges) = (3, 3, true) }),
    ("ratio alone", "Resize({0,0},0,4,1,zoom{2,2})", { ($0.pixelRatio, $0.enlarges) = (2, true) }),
    ("ratio alone that may not enlarge", "", { $0.pixelRatio = 2 }),
    ("least", "Resize({0,0},0,4,1,least{20,0})", { ($0.minimumWidth, $0.pixelRatio) = (10, 2) }),
    (
      "least and size", "Resize({30,0},0,4,1,we,least{60,8},shrink)",
      {
        ($0.width, $0.minimumWidth, $0.minimumHeight, $0.gravity) = (30, 60, 8, .west)
      }
    ),
    (
      "turned", "Resize({200,300},4,4,1)-Rotate(1.5707963267948966,1)",
      {
        ($0.width, $0.height, $0.turn) = (300, 200, .rotate(degrees: 90))
      }
    ),
    (
      "turned zoom", "Resize({0,300},0,4,1,zoom{1,2},least{0,9},shrink)-Rotate(-1.5707963267948966,1)",
      {
        ($0.width, $0.zoomX, $0.minimumWidth, $0.turn) = (300, 2, 9, .rotate(degrees: -90))
      }
    ),
    (
      "tilted", "Resize({300,200},4,4,1)-Rotate(0.7853981633974483,1)-Flip(1,0)",
      {
        ($0.width, $0.height, $0.turn) = (300, 200, [.rotate(degrees: 45), .flip(horizontal: true)])
      }
    ),
    ("filter", "Resize({300,0},4,1,1)", { ($0.width, $0.filter) = (300, .box) }),
    (
      "insets", "Resize({30,30},2,4,1,no{0,10},shrink,dpr{2})",
      {
        ($0.width, $0.height, $0.fitting, $0.pixelRatio) = (30, 30, .fill, 2)
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
      key == "Resize({45,30},3,4,1,zoom{1,2},shrink)-Extend({45,60},#00000000,soea{3,0.1s})-Pad({2,0,0,3},#00000000)"
        + "-Watermark(m,we{15,0},1,0,{6,0.5s})-Overlay(n,8,{5,-3},1,0)")
  }

  @Test func barsUpToARatioNeedBothSides() throws {
    #expect(try key { ($0.width, $0.bars) = (30, .toRatio()) } == "Resize({30,0},4,4,1)")
    let both = try key { ($0.width, $0.height, $0.bars) = (30, 20, .toRatio(gravity: .north)) }
    #expect(both == "Resize({30,20},4,4,1)-ExtendRatio(1.5,#00000000,no)")
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
    (recipe.width, recipe.height, recipe.fitting) = (12, 6, .fill)
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
          (recipe.width, recipe.height, recipe.fitting, recipe.gravity) = (16, 12, .fill, gravity)
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
    #expect(plan.leastSize == PixelSize(width: 667, height: 500))
    #expect(try recipe.pipeline().merged.members.count == 2)
  }

  @Test func aMovingPictureKeepsOneSize() throws {
    let bitmaps = try (0..<3).map { try Bitmap.noise(40, 30, .rgba8, seed: $0 + 1) }
    let image = Image(bitmaps[0], frames: try FrameArray(bitmaps, each: .milliseconds(40)))
    var recipe = PixelRecipe()
    (recipe.width, recipe.height, recipe.fitting, recipe.bars) = (20, 50, .fillDown, .toSize())
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
}
