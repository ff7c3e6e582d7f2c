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

  @Test(arguments: [PixelFormat.gray8, .rgba8, .opaqueRGBA8, .rgba16])
  func colourStepsShareAPass(format: PixelFormat) throws {
    let pipeline: TransformerPipeline = [
      .grayscale(0.5), .sepia(), .brightness(1.4), .contrast(1.5), .invert(0.7), .saturation(0.3),
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
    .resize(width: 100), .resize(width: 90, height: 90, mode: .aspectFit),
    .resize(width: 90, height: 70, mode: .aspectFill), .resize(width: 80, height: 120),
    .resize(within: PixelSize(width: 90, height: 90)),
    [.crop(x: 11, y: 33, width: 400, height: 155), .resize(within: PixelSize(width: 90, height: 90), enlarges: true)],
    [.crop(x: 101, y: 33, width: 400, height: 355), .resize(width: 77, height: 50, mode: .aspectFill)],
    [.resize(width: 100, filter: .bicubic), .grayscale],
  ]

  @Test(arguments: planned)
  func aSmallerDecodeGivesNearlyTheSamePicture(pipeline: TransformerPipeline) throws {
    let bitmap = try Self.waves.get()
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
    .resize(width: 100, filter: .nearest), .blur(2), .identity,
    .flip(horizontal: true), [.blur(1), .resize(width: 100)], .resize(width: -1, height: 3),
    [.crop(x: 5000, y: 0, width: 5, height: 5), .resize(width: 3)],
  ])
  func whatNeedsEveryPixelAsksForThem(pipeline: TransformerPipeline) {
    #expect(pipeline.plan(for: PixelSize(width: 1000, height: 700)).leastSize == nil)
  }

  @Test func twiceTheResultIsAskedFor() {
    let plan = TransformerPipeline.resize(width: 100).plan(for: PixelSize(width: 4000, height: 3000))
    #expect(plan.leastSize == PixelSize(width: 200, height: 150))
  }
}
