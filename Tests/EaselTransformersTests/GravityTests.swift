import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

struct GravityTests {
  /// A picture whose pixels say where they are.
  private static func map(_ width: Int, _ height: Int, _ format: PixelFormat = .opaqueRGBA8) throws -> Bitmap {
    try Bitmap(width, height, format) { x, y in
      format.layout == .gray8 ? [x + 16 * y] : [x, y, 7, format.layout == .rgba16 ? 65_535 : 255]
    }
  }

  static let places: [(TransformerPipeline.Gravity, Int, Int)] = [
    (.northWest, 0, 0), (.north, 3, 0), (.northEast, 6, 0), (.west, 0, 2), (.center, 3, 2), (.east, 6, 2),
    (.southWest, 0, 5), (.south, 3, 5), (.southEast, 6, 5),
    (.northWest.inset(x: 1, y: 2), 1, 2), (.southEast.inset(x: 1, y: 2), 5, 3),
    (.center.inset(x: 1, y: -2), 4, 0), (.south.inset(x: -2, y: 1), 1, 4),
    (.north.inset(x: .share(0.2), y: .share(0.25)), 5, 2), (.southEast.inset(x: .share(0.1), y: .pixels(1)), 5, 4),
    // Nothing leaves the picture.
    (.northWest.inset(x: -5, y: 100), 0, 5), (.southEast.inset(x: .max, y: .min), 0, 5),
    (.focalPoint(x: 0, y: 0), 0, 0), (.focalPoint(x: 1, y: 1), 6, 5), (.focalPoint(x: 0.5, y: 0.5), 3, 2),
    (.focalPoint(x: 0.3, y: 0.75), 1, 4), (.focalPoint(x: 0.3, y: 0.75).inset(x: 2, y: -1), 3, 3),
  ]

  @Test(arguments: places)
  func aCropKeepsTheNamedPart(gravity: TransformerPipeline.Gravity, x: Int, y: Int) throws {
    for format in [PixelFormat.opaqueRGBA8, .gray8, PixelFormat(.rgba16, alpha: .opaque)] {
      let bitmap = try Self.map(10, 8, format)
      let cropped = try TransformerPipeline.crop(width: 4, height: 3, gravity: gravity).run(bitmap)
      #expect(try cropped == bitmap.cropped(to: PixelRect(x: x, y: y, width: 4, height: 3)))
    }
  }

  @Test(arguments: [
    (TransformerPipeline.crop(width: 100, height: 3), PixelSize(width: 10, height: 3)),
    (.crop(width: 0, height: 3), PixelSize(width: 10, height: 3)),
    (.crop(width: 4, height: 0), PixelSize(width: 4, height: 8)),
    (.crop(width: .max, height: .max), PixelSize(width: 10, height: 8)),
    (.crop(width: .share(0.5), height: .share(1)), PixelSize(width: 5, height: 8)),
    (.crop(width: .share(1e-9), height: .pixels(2)), PixelSize(width: 1, height: 2)),
  ])
  func aCropIsNoLargerThanThePicture(pipeline: TransformerPipeline, size: PixelSize) throws {
    #expect(try pipeline.run(Self.map(10, 8)).size == size)
  }

  @Test func relativeCropsTileThePicture() throws {
    let bitmap = try Self.map(11, 7)
    let left = try TransformerPipeline.crop(shareX: 0, shareY: 0, shareWidth: 0.3, shareHeight: 1).run(bitmap)
    let right = try TransformerPipeline.crop(shareX: 0.3, shareY: 0, shareWidth: 0.7, shareHeight: 1).run(bitmap)
    #expect(left.width + right.width == 11 && left.height == 7)
    #expect(right.components(0, 3) == [left.width, 3, 7, 255])
    let speck = try TransformerPipeline.crop(shareX: 0.999, shareY: 0.999, shareWidth: 1e-9, shareHeight: 1e-9)
      .run(bitmap)
    #expect(try speck == bitmap.cropped(to: PixelRect(x: 10, y: 6, width: 1, height: 1)))
  }

  @Test(arguments: [
    (1.0, 1.0, TransformerPipeline.Gravity.center, PixelRect(x: 1, y: 0, width: 8, height: 8)),
    (1, 1, .east, PixelRect(x: 2, y: 0, width: 8, height: 8)),
    (16, 8, .south, PixelRect(x: 0, y: 3, width: 10, height: 5)),
    (10, 8, .south, PixelRect(x: 0, y: 0, width: 10, height: 8)),
    (1e9, 1, .north, PixelRect(x: 0, y: 0, width: 10, height: 1)),
    (1, 1e9, .east, PixelRect(x: 9, y: 0, width: 1, height: 8)),
  ])
  func aCropToARatioIsAsLargeAsFits(
    width: Double, height: Double, gravity: TransformerPipeline.Gravity, part: PixelRect
  )
    throws
  {
    let bitmap = try Self.map(10, 8)
    let pipeline = TransformerPipeline.crop(ratioWidth: width, ratioHeight: height, gravity: gravity)
    #expect(try pipeline.run(bitmap) == bitmap.cropped(to: part))
  }

  /// At half the size, each position of the result is twice as far in the picture.
  static let covers: [(TransformerPipeline.Gravity, Int)] = [
    (.west, 0), (.center, 20), (.east, 40), (.east.inset(x: 3, y: 9), 34),
    (.west.inset(x: .share(0.1), y: .share(1)), 6),
    (.focalPoint(x: 0.5, y: 0), 20), (.focalPoint(x: 0.4, y: 0), 14), (.focalPoint(x: 0, y: 1), 0),
    (.focalPoint(x: 1, y: 1), 40),
  ]

  @Test(arguments: covers)
  func aResizeThatCoversCutsByGravity(gravity: TransformerPipeline.Gravity, x: Int) throws {
    let bitmap = try Bitmap.noise(60, 20, .rgba8)
    let filled = try TransformerPipeline.resize(
      width: 10, height: 10, mode: .fill, gravity: gravity, filter: .box
    )
    .run(bitmap)
    let cut = try bitmap.cropped(to: PixelRect(x: x, y: 0, width: 20, height: 20))
    #expect(try filled == cut.resized(to: PixelSize(width: 10, height: 10), filter: .box, linearLight: true))
  }

  @Test(arguments: [
    (TransformerPipeline.Gravity.north, 0), (.center, 20), (.south.inset(x: 9, y: 3), 34),
    (.focalPoint(x: 0, y: 0.4), 14),
  ])
  func aResizeThatCoversCutsRowsByGravity(gravity: TransformerPipeline.Gravity, y: Int) throws {
    let bitmap = try Bitmap.noise(20, 60, .rgba16)
    let filled = try TransformerPipeline.resize(
      width: 10, height: 10, mode: .fill, gravity: gravity, filter: .box
    )
    .run(bitmap)
    let cut = try bitmap.cropped(to: PixelRect(x: 0, y: y, width: 20, height: 20))
    // The order of the passes differs, and with it the rounding.
    #expect(
      try filled.largestDifference(
        from: cut.resized(to: PixelSize(width: 10, height: 10), filter: .box, linearLight: true)) <= 200)
  }

  @Test(arguments: [
    (TransformerPipeline.Gravity.north, 0), (.center, 5), (.south, 10), (.south.inset(x: 4, y: 3), 7),
    (.focalPoint(x: 0, y: 0.5), 5), (.focalPoint(x: 0, y: 0), 0),
  ])
  func aResizeThatFitsPlacesByGravity(gravity: TransformerPipeline.Gravity, row: Int) throws {
    let fitted = try TransformerPipeline.resize(width: 20, height: 20, mode: .pad, gravity: gravity)
      .run(Bitmap(40, 20, .white, .opaqueRGBA8))
    for y in 0..<20 {
      let isPicture = y >= row && y < row + 10
      #expect(fitted.components(3, y)[3] == (isPicture ? 255 : 0), "row \(y)")
    }
  }

  @Test func allFramesAreCutAlike() throws {
    let bitmaps = try (0..<3).map { frame in try Bitmap(12, 8, .gray8) { x, _ in [x + 20 * frame] } }
    let frames = Frames(bitmaps: bitmaps, durations: .init(repeating: .milliseconds(20), count: 3))
    let result = try TransformerPipeline.crop(width: 5, height: 0, gravity: .east).transformAllFrames(
      of: frames.image, work: WorkContext())
    let cropped = try #require(result.frames)
    for (index, bitmap) in bitmaps.enumerated() {
      #expect(try cropped.frame(at: index) == bitmap.cropped(to: PixelRect(x: 7, y: 0, width: 5, height: 8)))
    }
  }
}
