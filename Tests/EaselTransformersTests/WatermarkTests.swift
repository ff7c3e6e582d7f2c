import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselTransformers

struct WatermarkTests {
  /// Blends straight alpha one component after another, as the definition of blending says.
  private func blend(_ mark: [Int], over ground: [Int], opacity: Double) -> [Int] {
    let (above, below) = (Double(mark[3]) / 255 * opacity, Double(ground[3]) / 255)
    let alpha = above + below * (1 - above)
    guard alpha > 0 else { return [0, 0, 0, 0] }
    let colors = (0..<3).map { index in
      (Double(mark[index]) * above + Double(ground[index]) * below * (1 - above)) / alpha
    }
    return (colors + [alpha * 255]).map { Int($0.rounded()) }
  }

  /// The distance into a repeated watermark of a place, nil in a gap.
  private func offset(_ place: Int, start: Int, length: Int, gap: Int) -> Int? {
    let step = length + gap
    let distance = (((place - start) % step) + step) % step
    return distance < length ? distance : nil
  }

  static let tilings: [(TransformerPipeline.Gravity, x: Int, y: Int, gapX: Int, gapY: Int)] = [
    (.northWest, 0, 0, 0, 0), (.northWest, 0, 0, 3, 1), (.center, 9, 7, 2, 5), (.southEast, 18, 15, 0, 9),
    (.northWest.inset(x: 2, y: 1), 2, 1, 1, 0), (.west, 0, 7, 100, 100),
  ]

  @Test(arguments: tilings)
  func repeatedWatermarksCoverThePictureLikeAScalarReference(
    gravity: TransformerPipeline.Gravity, x: Int, y: Int, gapX: Int, gapY: Int
  ) throws {
    let (ground, mark) = (try Bitmap.noise(23, 19, .rgba8), try Bitmap.noise(5, 4, .rgba8, seed: 9))
    let result = try TransformerPipeline.watermark(
      repeating: mark, name: "m", gapX: .pixels(gapX), gapY: .pixels(gapY), gravity: gravity, opacity: 0.6
    ).run(ground)
    #expect(result.format == ground.format)
    for row in 0..<19 {
      for column in 0..<23 {
        let pixel = result.components(column, row)
        guard let markX = offset(column, start: x, length: 5, gap: gapX),
          let markY = offset(row, start: y, length: 4, gap: gapY)
        else {
          #expect(pixel == ground.components(column, row), "at \(column),\(row)")
          continue
        }
        let expected = blend(mark.components(markX, markY), over: ground.components(column, row), opacity: 0.6)
        guard expected[3] > 0 else { continue }
        // Colours of nearly transparent pixels are not exact.
        let most = 1 + 255 / expected[3]
        #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= most }, "at \(column),\(row): \(pixel), \(expected)")
      }
    }
  }

  @Test(arguments: [
    PixelFormat.gray8, .rgba8, PixelFormat(.bgra8, alpha: .straight), .opaqueRGBA8, .rgba16,
    PixelFormat(.rgba8, alpha: .premultiplied),
  ])
  func aRepeatedWatermarkIsAnOverlayManyTimes(format: PixelFormat) throws {
    let ground = try Bitmap.noise(23, 19, format)
    for layout in [PixelFormat.gray8, .rgba8, .rgba16, PixelFormat(.rgba8, alpha: .premultiplied)] {
      let mark = try Bitmap.noise(6, 5, layout, seed: 3)
      var expected = ground
      for y in stride(from: 0, to: 19, by: 6) {
        for x in stride(from: 0, to: 23, by: 8) {
          expected = try expected.overlaid(with: mark, x: x, y: y, opacity: 0.5)
        }
      }
      let repeated = TransformerPipeline.watermark(
        repeating: mark, name: "m", gapX: .pixels(2), gapY: .pixels(1), opacity: 0.5)
      #expect(try repeated.run(ground) == expected, "\(format) under \(layout)")
    }
  }

  static let places: [(TransformerPipeline.Gravity, x: Int, y: Int)] = [
    (.northWest, 0, 0), (.north, 8, 0), (.northEast, 16, 0), (.west, 0, 8), (.center, 8, 8), (.east, 16, 8),
    (.southWest, 0, 16), (.south, 8, 16), (.southEast, 16, 16), (.southEast.inset(x: 2, y: 3), 14, 13),
    (.northWest.inset(x: .share(0.25), y: .pixels(1)), 5, 1), (.center.inset(x: -3, y: 2), 5, 10),
    (.southEast.inset(x: -9, y: 0), 16, 16),
  ]

  @Test(arguments: places)
  func aWatermarkLiesWhereItsGravitySays(gravity: TransformerPipeline.Gravity, x: Int, y: Int) throws {
    let ground = try Bitmap(20, 20, .black, .opaqueRGBA8)
    let result = try TransformerPipeline.watermark(Bitmap(4, 4, .white), name: "m", gravity: gravity).run(ground)
    #expect(result.format == .opaqueRGBA8)
    for row in 0..<20 {
      for column in 0..<20 {
        let isInside = (x..<x + 4).contains(column) && (y..<y + 4).contains(row)
        #expect(result.components(column, row)[0] == (isInside ? 255 : 0), "at \(column),\(row)")
      }
    }
  }

  static let scales: [(scale: Double?, mark: PixelSize, made: PixelSize)] = [
    (nil, PixelSize(width: 4, height: 2), PixelSize(width: 4, height: 2)),
    (nil, PixelSize(width: 80, height: 20), PixelSize(width: 40, height: 10)),
    (0.5, PixelSize(width: 4, height: 2), PixelSize(width: 20, height: 10)),
    (0.5, PixelSize(width: 2, height: 4), PixelSize(width: 8, height: 15)),
    (1, PixelSize(width: 400, height: 300), PixelSize(width: 40, height: 30)),
    (1e-9, PixelSize(width: 4, height: 2), PixelSize(width: 1, height: 1)),
    (0.1, PixelSize(width: 500, height: 1), PixelSize(width: 4, height: 1)),
  ]

  @Test(arguments: scales)
  func theScaleIsAShareOfThePicture(scale: Double?, mark: PixelSize, made: PixelSize) throws {
    let ground = try Bitmap(40, 30, .black, .opaqueRGBA8)
    let white = try Bitmap(mark.width, mark.height, .white)
    let result = try TransformerPipeline.watermark(white, name: "m", gravity: .northWest, scale: scale).run(ground)
    let lit = (0..<30).map { y in (0..<40).filter { result.components($0, y)[0] == 255 }.count }
    #expect(lit.max() == made.width && lit.filter { $0 > 0 }.count == made.height)
  }

  @Test func gapsCanBeSharesOfThePicture() throws {
    let (ground, mark) = (try Bitmap.noise(20, 10, .rgba8), try Bitmap(2, 2, .white))
    let shares = TransformerPipeline.watermark(repeating: mark, name: "m", gapX: .share(0.25), gapY: .share(0.1))
    let pixels = TransformerPipeline.watermark(repeating: mark, name: "m", gapX: .pixels(5), gapY: .pixels(1))
    #expect(try shares.run(ground) == pixels.run(ground) && shares.cacheKey != pixels.cacheKey)
  }

  @Test func aWatermarkWithoutOpacityChangesNothing() throws {
    let ground = try Bitmap.noise(9, 9, .gray8)
    #expect(try TransformerPipeline.watermark(Bitmap(4, 4, .white), name: "m", opacity: 0).run(ground) == ground)
  }

  // MARK: Sizes

  @Test func allFramesShareTheSizeThatWasMadeForTheFirst() throws {
    let bitmaps = try (0..<4).map { try Bitmap.noise(20, 16, .rgba8, seed: $0) }
    let frames = try FrameArray(bitmaps, each: .milliseconds(40))
    let image = Image(bitmaps[0], frames: frames)
    let picture = WatermarkImage(try Bitmap.noise(64, 64, .rgba8))
    let watermark = Watermark(
      name: "m", picture: picture, gravity: .center, opacity: 0.5, scaleX: 0.5, scaleY: 0.5, gaps: nil)
    let result = try watermark.transformAllFrames(of: image, work: WorkContext())
    let moving = try #require(result.frames)
    for index in 0..<4 { #expect(try moving.frame(at: index) == watermark.run(bitmaps[index])) }
    #expect(moving.count == 4 && picture.keptSizes == [PixelSize(width: 8, height: 8)])
    let kept = try picture.resized(to: PixelSize(width: 8, height: 8), work: WorkContext())
    let again = try picture.resized(to: PixelSize(width: 8, height: 8), work: WorkContext())
    #expect(kept.withUnsafeBytes { $0.baseAddress } == again.withUnsafeBytes { $0.baseAddress })
  }

  @Test func onlyAFewSizesAreKept() throws {
    let picture = WatermarkImage(try Bitmap.noise(64, 64, .rgba8))
    for side in 1...20 { _ = try picture.resized(to: PixelSize(width: side, height: side), work: WorkContext()) }
    _ = try picture.resized(to: PixelSize(width: 15, height: 15), work: WorkContext())
    #expect(picture.keptSizes.map(\.width) == [13, 14, 16, 17, 18, 19, 20, 15])
    _ = try picture.resized(to: PixelSize(width: 2000, height: 2000), work: WorkContext())
    _ = try picture.resized(to: PixelSize(width: 3, height: 3), work: WorkContext())
    #expect(picture.keptSizes.map(\.width) == [3], "a large size does not stay when another is needed")
    #expect(try picture.resized(to: PixelSize(width: 64, height: 64), work: WorkContext()) == picture.original)
    #expect(picture.keptSizes.count == 1)
  }

  @Test func threadsShareAWatermark() async throws {
    let mark = TransformerPipeline.watermark(try Bitmap.noise(64, 64, .rgba8), name: "m", scale: 0.4)
    let grounds = try (0..<16).map { try Bitmap.noise(20 + $0 % 4, 16, .rgba8, seed: UInt64($0)) }
    let expected = try grounds.map { try mark.run($0) }
    try await withThrowingTaskGroup(of: (Int, Bitmap).self) { group in
      let shared = TransformerPipeline.watermark(try Bitmap.noise(64, 64, .rgba8), name: "m", scale: 0.4)
      for (index, ground) in grounds.enumerated() { group.addTask { (index, try shared.run(ground)) } }
      for try await (index, result) in group { #expect(result == expected[index]) }
    }
  }

  @Test func manyTinyWatermarksCanBeCancelled() throws {
    let cancellation = Cancellation()
    let work = WorkContext(
      limits: Limits(), context: ImageContext(), cancellation: cancellation, clock: SystemClock())
    cancellation.cancel()
    let ground = try Bitmap(700, 500, .black)
    let mark = try Bitmap(1, 1, .white)
    let error = #expect(throws: ImageError.self) {
      try ground.overlaid(with: mark, columns: 0..<700, rows: 0..<500, opacity: 1, work: work)
    }
    #expect(error?.isCancellation == true)
  }

  // MARK: Keys

  @Test func keysNameEverything() throws {
    let mark = try Bitmap(2, 2, .white)
    let one = TransformerPipeline.watermark(
      mark, name: "a logo", gravity: .southEast.inset(x: 10, y: 4), opacity: 0.5, scale: 0.25)
    #expect(one.cacheKey == "Watermark(a%20logo,soea{10,4},0.5,0.25)")
    #expect(TransformerPipeline.watermark(mark, name: "m").cacheKey == "Watermark(m,soea,1,0)")
    let many = TransformerPipeline.watermark(repeating: mark, name: "m", gapX: .share(0.1), gapY: .share(0))
    #expect(many.cacheKey == "Watermark(m,nowe,1,0,{0.1s,0})")
    for pipeline in [one, many] {
      let parsed = try TransformerPipeline(parsing: pipeline.cacheKey, overlays: ["a logo": mark, "m": mark])
      #expect(parsed.cacheKey == pipeline.cacheKey)
    }
    let error = #expect(throws: ImageError.self) { try TransformerPipeline(parsing: one.cacheKey) }
    #expect(error?.message.contains("one of the given overlays") == true)
  }

  static let nonsense: [@Sendable (inout Parameters) -> Void] = [
    { $0.name = "" }, { $0.opacity = -0.1 }, { $0.opacity = 1.1 }, { $0.opacity = .nan }, { $0.scale = -1 },
    { $0.scale = 1.5 }, { $0.scale = 1e308 }, { $0.scale = .nan }, { $0.gap = .pixels(-1) },
    { $0.gap = .pixels(.max) }, { $0.gap = .pixels(1_000_000_001) }, { $0.gap = .share(-0.1) }, { $0.gap = .share(2) },
    { $0.gap = .share(.nan) }, { $0.gravity = .focalPoint(x: 2, y: 0) },
    { $0.gravity = .north.inset(x: .share(.nan), y: .pixels(0)) },
  ]

  struct Parameters {
    var name = "m"
    var opacity = 1.0
    var scale = 0.5
    var gap = TransformerPipeline.Length.pixels(1)
    var gravity = TransformerPipeline.Gravity.center
  }

  @Test(arguments: 0..<nonsense.count) func parametersWithoutSenseAreRefused(row: Int) throws {
    var parameters = Parameters()
    Self.nonsense[row](&parameters)
    let mark = try Bitmap(2, 2, .white)
    let pipeline = TransformerPipeline.watermark(
      repeating: mark, name: parameters.name, gapX: .pixels(0), gapY: parameters.gap, gravity: parameters.gravity,
      opacity: parameters.opacity, scale: parameters.scale)
    let error = #expect(throws: ImageError.self) { try pipeline.run(Bitmap.noise(9, 9, .rgba8)) }
    #expect(error?.code == .transformFailed)
  }

  @Test func insetsAndGapsOfAnyLengthAreSafe() throws {
    let ground = try Bitmap.noise(9, 9, .rgba8)
    let mark = try Bitmap(2, 2, .white)
    for inset in [Int.min, -1_000_000, .max] {
      for gap in [0, 1_000_000_000] {
        let pipeline = TransformerPipeline.watermark(
          repeating: mark, name: "m", gapX: .pixels(gap), gapY: .share(1), gravity: .southEast.inset(x: inset, y: inset)
        )
        #expect(try pipeline.run(ground).size == ground.size)
      }
    }
  }
}
