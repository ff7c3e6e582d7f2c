import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

struct PlanningTests {
  /// Applies the members one after another, without merging.
  private func apart(_ pipeline: TransformerPipeline, _ bitmap: Bitmap) throws -> Bitmap {
    try pipeline.members.reduce(bitmap) { try $1.run($0) }
  }

  @Test(arguments: Bitmap.ResampleFilter.allCases, TransformerPipeline.ResizeMode.allCases)
  func aCropBeforeAResizeIsOneStepWithTheSamePixels(filter: Bitmap.ResampleFilter, mode: TransformerPipeline.ResizeMode)
    throws
  {
    let pipeline: TransformerPipeline = [
      .crop(x: 7, y: 5, width: 40, height: 300), .resize(width: 13, height: 11, mode: mode, filter: filter),
    ]
    let bitmap = try Bitmap.noise(60, 50, .rgba8)
    #expect(pipeline.merged.members.count == 1 && pipeline.merged.cacheKey == pipeline.cacheKey)
    #expect(try pipeline.run(bitmap) == apart(pipeline, bitmap))
  }

  @Test(arguments: [
    TransformerPipeline.crop(width: 31, height: 0, gravity: .southWest.inset(x: 3, y: 0)),
    .crop(width: .share(0.4), height: .share(0.9), gravity: .focalPoint(x: 0.9, y: 0.3)),
    .crop(shareX: 0.11, shareY: 0.3, shareWidth: 0.5, shareHeight: 0.7),
    .crop(ratioWidth: 3, ratioHeight: 7, gravity: .east),
  ])
  func everyCropBeforeAResizeIsOneStep(crop: TransformerPipeline) throws {
    let pipeline = crop.then(.resize(width: 13, height: 11, mode: .fill, gravity: .north))
    let bitmap = try Bitmap.noise(60, 50, .rgba8)
    #expect(pipeline.merged.members.count == 1 && pipeline.merged.cacheKey == pipeline.cacheKey)
    #expect(try pipeline.run(bitmap) == apart(pipeline, bitmap))
  }

  @Test(arguments: [PixelFormat.gray8, .rgba8, .opaqueRGBA8, .rgba16])
  func colourStepsShareAPass(format: PixelFormat) throws {
    let pipeline: TransformerPipeline = [
      .grayscale(0.5), .sepia(), .brightness(1.4), .contrast(1.5), .invert(0.7), .saturation(0.3),
      .duotone(shadows: .black, highlights: .white, amount: 0.4),
    ]
    let bitmap = try Bitmap.noise(60, 50, format)
    #expect(pipeline.merged.members.count == 1 && pipeline.merged.cacheKey == pipeline.cacheKey)
    #expect(try pipeline.run(bitmap).signalToNoise(against: apart(pipeline, bitmap)) >= 40)
  }

  @Test func whatIsCutOffBetweenColourStepsStaysCutOff() throws {
    let pipeline: TransformerPipeline = [.brightness(4), .brightness(0.25)]
    let bitmap = try Bitmap(8, 8, .white, .opaqueRGBA8)
    #expect(try pipeline.run(bitmap).components(3, 3) == [64, 64, 64, 255])
  }

  @Test func othersStayApart() {
    let pipeline: TransformerPipeline = [.resize(width: 5), .crop(x: 0, y: 0, width: 3, height: 3), .blur(1), .sepia()]
    #expect(pipeline.merged.members.count == 4)
  }

  private static let waves = Result { try Bitmap.waves(603, 451) }

  static let planned: [TransformerPipeline] = [
    .resize(width: 100), .resize(width: 90, height: 90, mode: .pad),
    .resize(width: 90, height: 70, mode: .fill), .resize(width: 80, height: 120),
    .resize(within: PixelSize(width: 90, height: 90)),
    [.crop(x: 11, y: 33, width: 400, height: 155), .resize(within: PixelSize(width: 90, height: 90), enlarges: true)],
    [.crop(x: 101, y: 33, width: 400, height: 355), .resize(width: 77, height: 50, mode: .fill)],
    [.resize(width: 100, filter: .bicubic), .grayscale], .resize(width: 50, height: 15, filter: .bilinear),
    .resize(width: 26, height: 10, mode: .fill, filter: .box), .resize(width: 27, height: 17, filter: .box),
    .resize(width: 31, filter: .box),
    .resize(width: 90, height: 70, mode: .fill, gravity: .southEast.inset(x: 10, y: 3)),
    .resize(width: 60, height: 90, mode: .fill, gravity: .focalPoint(x: 0.8, y: 0.1)),
    [.crop(width: .share(0.7), height: .pixels(301), gravity: .focalPoint(x: 0.2, y: 0.9)), .resize(width: 77)],
    [.crop(shareX: 0.13, shareY: 0.2, shareWidth: 0.7, shareHeight: 0.8), .resize(width: 77)],
    [.crop(ratioWidth: 9, ratioHeight: 16, gravity: .focalPoint(x: 0.2, y: 0)), .resize(width: 50)],
  ]

  static let plannedKeys = [
    "Resize({90,70},2,shrink)", "Resize({90,70},2,shrink,ratio)-Grayscale(1)", "Resize({60,90},2,auto)",
    "Resize({90,90},2,so{0,3},auto)", "Resize({45,35},2,no,shrink,dpr{2})", "Resize({40,0},0,zoom{2,1})",
    "Resize({0,0},0,zoom{0.1,0.2})",
    "Resize({20,20},3,noea,least{60,0})", "CropRatio(0.7,ea)-Resize({90,50},0,shrink)",
    "CropShare({0.1,0.1,0.7,0.8})-Resize({50,50},2,fp{0.1,0.9},zoom{1,1.5})",
  ]

  @Test(arguments: plannedKeys) func aSmallerDecodeGivesNearlyTheSamePictureByRule(key: String) throws {
    let pipeline = try TransformerPipeline(parsing: key)
    #expect(pipeline.cacheKey == key && pipeline.merged.members.count == (key.hasSuffix("Grayscale(1)") ? 2 : 1))
    try aSmallerDecodeGivesNearlyTheSamePicture(pipeline: pipeline)
  }

  @Test(arguments: [
    "Resize({90,700},2,shrink)", "Resize({900,700},2,shrink)", "Resize({0,0},0,zoom{0.6,0.1})",
    "Resize({20,20},3,least{500,0})", "Resize({5,5},2,0,auto)",
  ]) func aRuleThatNeedsEveryPixelAsksForThem(key: String) throws {
    let plan = try TransformerPipeline(parsing: key).plan(for: PixelSize(width: 603, height: 451))
    #expect(plan.leastSize == nil)
  }

  @Test(arguments: planned)
  func aSmallerDecodeGivesNearlyTheSamePicture(pipeline: TransformerPipeline) throws {
    try check(pipeline.with(.fast), on: Self.waves.get())
  }

  /// Parts that are hardly larger than several times their result are decoded in full.
  private static let plannedInLight = planned.filter {
    $0.plan(for: PixelSize(width: 1206, height: 902)).leastSize != nil
  }

  @Test(arguments: plannedInLight)
  func aSmallerDecodeGivesNearlyTheSameLight(pipeline: TransformerPipeline) throws {
    try check(pipeline, on: Bitmap.waves(1206, 902))
  }

  private func check(_ pipeline: TransformerPipeline, on bitmap: Bitmap) throws {
    let expected = try pipeline.run(bitmap)
    let plan = pipeline.plan(for: bitmap.size)
    let least = try #require(plan.leastSize)
    #expect(least.area < bitmap.size.area)
    for decodedSize in [least, PixelSize(width: least.width + 9, height: least.height + 3)] {
      let decoded = try bitmap.resized(to: decodedSize, filter: .box)
      let result = try plan.transformer.run(decoded)
      #expect(result.size == expected.size)
      #expect(result.signalToNoise(against: expected) >= 40, "\(pipeline.cacheKey) at \(decodedSize)")
    }
    #expect(try plan.transformer.run(bitmap) == expected)
    #expect(plan.transformer.cacheKey == pipeline.cacheKey)
  }

  @Test(arguments: [
    TransformerPipeline.resize(width: 800), .resize(within: PixelSize(width: 2000, height: 2000)),
    .resize(width: 100, filter: .nearest), .resize(width: 130, filter: .box), .blur(2),
    .resize(width: 100, fidelity: .exact),
    [.crop(x: 5, y: 5, width: 500, height: 500), .resize(width: 20, fidelity: .exact)],
    .identity, .pixelate(4), .trim(), [.trim(), .resize(width: 100)],
    .flip(horizontal: true), [.blur(1), .resize(width: 100)], .resize(width: -1, height: 3),
    [.crop(x: 5000, y: 0, width: 5, height: 5), .resize(width: 3)],
  ])
  func whatNeedsEveryPixelAsksForThem(pipeline: TransformerPipeline) {
    #expect(pipeline.plan(for: PixelSize(width: 1000, height: 700)).leastSize == nil)
  }

  @Test func aPictureIsNotReducedByLittleBeforeItIsResized() {
    let full = PixelSize(width: 1000, height: 700)
    func least(_ width: Int, _ fidelity: Fidelity) -> PixelSize? {
      TransformerPipeline.resize(width: width, fidelity: fidelity).plan(for: full).leastSize
    }
    #expect(least(399, .fast) == PixelSize(width: 798, height: 559) && least(400, .fast) == nil)
    #expect(least(250, .faithful) == PixelSize(width: 775, height: 543) && least(260, .faithful) == nil)
    #expect(least(10, .exact) == nil)
  }

  @Test(arguments: [
    TransformerPipeline.crop(width: 30, height: 0, gravity: .southEast),
    .crop(width: .share(0.3), height: .share(1), gravity: .focalPoint(x: 1, y: 1)),
    .crop(shareX: 0.5, shareY: 0.5, shareWidth: 0.5, shareHeight: 0.5), .crop(ratioWidth: 1, ratioHeight: 1e-9),
  ])
  func noSizeIsTooSmallOrLargeForAPlan(crop: TransformerPipeline) {
    let sides = [0, 1, 2, 1 << 62, .max]
    for (width, height) in sides.flatMap({ width in sides.map { (width, $0) } }) {
      let size = PixelSize(width: width, height: height)
      let plan = crop.then(.resize(width: 10, height: 10, mode: .fill, gravity: .north)).plan(for: size)
      if size.isEmpty { #expect(plan.leastSize == nil) }
    }
  }

  @Test func aSmartCropAsksForItsMapAtLeast() {
    let full = PixelSize(width: 4000, height: 3000)
    let tiny = TransformerPipeline.resize(width: 20, height: 20, mode: .fill, gravity: .smart)
    #expect(tiny.plan(for: full).leastSize == PixelSize(width: 256, height: 192))
    let crop = TransformerPipeline.crop(ratioWidth: 1, ratioHeight: 1, gravity: .smart)
    #expect(crop.then(.resize(width: 20)).plan(for: full).leastSize == PixelSize(width: 256, height: 192))
    // The map of a part is made of the part alone.
    let part = TransformerPipeline.crop(x: 0, y: 0, width: 1000, height: 500).then(tiny)
    #expect(part.plan(for: full).leastSize == PixelSize(width: 1024, height: 768))
    let larger = TransformerPipeline.resize(width: 300, height: 300, mode: .fill, gravity: .smart)
    #expect(larger.plan(for: full).leastSize == PixelSize(width: 1240, height: 930))
    #expect(larger.with(.fast).plan(for: full).leastSize == PixelSize(width: 800, height: 600))
    #expect(TransformerPipeline.crop(width: 20, height: 20, gravity: .smart).plan(for: full).leastSize == nil)
  }

  // MARK: Drawings

  private static let larger: [(TransformerPipeline, Int, Int)] = [
    (.resize(width: 800), 800, 533),
    (.resize(width: 240, height: 240, mode: .pad), 240, 160),
    (.resize(width: 240, height: 240, mode: .fill), 360, 240),
    (.resize(within: PixelSize(width: 90, height: 90), enlarges: true), 90, 60),
    // Half of it is shown at 160 pixels.
    ([.crop(x: 0, y: 0, width: 12, height: 16), .resize(width: 160)], 320, 213),
    // At most four times the pixels of the result.
    ([.crop(x: 0, y: 0, width: 3, height: 2), .resize(width: 300)], 600, 400),
    (.resize(width: 100, height: 800), 693, 462),
    (.resize(width: 1_000_000), 16_384, 10_923), (.resize(width: 6, fidelity: .fast), 12, 8),
    (.resize(width: 3), 15, 10),
  ]

  @Test(arguments: larger)
  func aDrawingIsDrawnAsLargeAsItIsShown(pipeline: TransformerPipeline, width: Int, height: Int) throws {
    let first = try #require(pipeline.merged.members.first as? any PlannableTransformer)
    let plan = try #require(first.plan(forDrawing: PixelSize(width: 24, height: 16)))
    #expect(plan.leastSize == PixelSize(width: width, height: height))
    #expect(plan.transformer.cacheKey == pipeline.cacheKey)
  }

  @Test(arguments: [
    TransformerPipeline.resize(width: 24), .resize(width: 20), .resize(width: 800, filter: .nearest),
    .resize(within: PixelSize(width: 800, height: 800)), .resize(width: -1),
  ])
  func otherwiseADrawingHasItsOwnSize(pipeline: TransformerPipeline) {
    let first = pipeline.merged.members.first as? any PlannableTransformer
    #expect(first?.plan(forDrawing: PixelSize(width: 24, height: 16)) == nil)
  }

  @Test func aLargerDrawingIsShownPixelByPixel() throws {
    let larger = try Bitmap.noise(360, 240, .opaqueRGBA8)
    func drawn(_ pipeline: TransformerPipeline) throws -> Bitmap {
      let first = try #require(pipeline.merged.members.first as? any PlannableTransformer)
      let plan = try #require(first.plan(forDrawing: PixelSize(width: 24, height: 16)))
      return try plan.transformer.run(larger)
    }
    #expect(try drawn(.resize(width: 360)) == larger)
    let middle = try drawn(.resize(width: 240, height: 240, mode: .fill))
    #expect(try middle == larger.cropped(to: PixelRect(x: 60, y: 0, width: 240, height: 240)))
    let corner = try drawn([.crop(x: 0, y: 0, width: 12, height: 8), .resize(width: 180)])
    #expect(try corner == larger.cropped(to: PixelRect(x: 0, y: 0, width: 180, height: 120)))
  }

  @Test func theFidelitySaysWhetherLightIsAveraged() throws {
    let bitmap = try Bitmap.noise(60, 40, .rgba8)
    let size = PixelSize(width: 15, height: 10)
    let light = try bitmap.resized(to: size, linearLight: true)
    #expect(try TransformerPipeline.resize(width: 15, fidelity: .fast).run(bitmap) == bitmap.resized(to: size))
    #expect(try TransformerPipeline.resize(width: 15).run(bitmap) == light)
    #expect(try light != bitmap.resized(to: size))
    for fidelity in [TransformerPipeline.Fidelity.faithful, .exact] {
      #expect(try TransformerPipeline.resize(width: 15, fidelity: fidelity).run(bitmap) == light)
      #expect(try TransformerPipeline.resize(height: 10, fidelity: fidelity).run(bitmap) == light)
      #expect(try TransformerPipeline.resize(within: size, fidelity: fidelity).run(bitmap) == light)
    }
  }

  /// Light would make dark rings around the bright edges of what is enlarged.
  @Test func whatIsEnlargedKeepsItsNumbers() throws {
    let bitmap = try Bitmap.noise(20, 10, .rgba8)
    let larger = PixelSize(width: 60, height: 30)
    #expect(try TransformerPipeline.resize(width: 60).run(bitmap) == bitmap.resized(to: larger))
    let mixed = PixelSize(width: 60, height: 5)
    let light = try bitmap.resized(to: mixed, linearLight: true)
    #expect(try TransformerPipeline.resize(width: 60, height: 5).run(bitmap) == light)
  }

  @Test func severalTimesTheResultIsAskedFor() {
    func least(_ width: Int, _ fidelity: Fidelity) -> Int? {
      let pipeline = TransformerPipeline.resize(width: width, fidelity: fidelity)
      return pipeline.plan(for: PixelSize(width: 4000, height: 3000)).leastSize?.width
    }
    #expect(least(100, .fast) == 200 && least(1000, .fast) == 2000)
    #expect(least(100, .faithful) == 500 && least(300, .faithful) == 930 && least(500, .faithful) == 1500)
    #expect(least(1000, .faithful) == 2000 && least(100, .exact) == nil)
    let box = TransformerPipeline.resize(width: 100, filter: .box).plan(for: PixelSize(width: 4000, height: 3000))
    #expect(box.leastSize == PixelSize(width: 800, height: 600))
  }
}
