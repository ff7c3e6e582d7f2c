import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

struct TrimTests {
  /// A pattern in columns 3 to 7 and rows 2 to 4, on a canvas of 12 by 9 pixels of one colour.
  private static func framed(_ border: [Int], _ format: PixelFormat) throws -> Bitmap {
    let top = format.layout == .rgba16 ? 65_535 : 255
    return try Bitmap(12, 9, format) { x, y in
      guard (3...7).contains(x) && (2...4).contains(y) else { return border }
      return border.count == 1 ? [(x * 31 + y * 17) % 100 + 100] : [top - x, y, top / 2, top]
    }
  }

  static let frames: [([Int], PixelFormat)] = [
    ([3], .gray8), ([9, 30, 60, 255], .opaqueRGBA8), ([9, 30, 60, 255], .rgba8), ([9, 30, 60, 100], .rgba8),
    ([0, 0, 0, 0], .rgba8), ([9, 30, 60, 100], PixelFormat(.rgba8, alpha: .premultiplied)),
    ([900, 30, 60_000, 65_535], .rgba16), ([900, 30, 60_000, 20_000], .rgba16),
  ]

  @Test(arguments: frames)
  func theBorderIsCutOff(border: [Int], format: PixelFormat) throws {
    let bitmap = try Self.framed(border, format)
    let inner = try bitmap.cropped(to: PixelRect(x: 3, y: 2, width: 5, height: 3))
    #expect(try TransformerPipeline.trim().run(bitmap) == inner)
    #expect(try TransformerPipeline.trim(tolerance: 0).run(bitmap) == inner)
    #expect(try TransformerPipeline.trim().run(inner) == inner)
  }

  @Test func oppositeSidesLoseTheSame() throws {
    let bitmap = try Self.framed([3], .gray8)
    let wide = try TransformerPipeline.trim(equalsHorizontally: true).run(bitmap)
    #expect(try wide == bitmap.cropped(to: PixelRect(x: 3, y: 2, width: 6, height: 3)))
    let both = try TransformerPipeline.trim(equalsHorizontally: true, equalsVertically: true).run(bitmap)
    #expect(try both == bitmap.cropped(to: PixelRect(x: 3, y: 2, width: 6, height: 5)))
    let turned = try TransformerPipeline.rotate(degrees: 180).run(bitmap)
    let bothTurned = try TransformerPipeline.trim(equalsHorizontally: true, equalsVertically: true).run(turned)
    #expect(try bothTurned == TransformerPipeline.rotate(degrees: 180).run(both))
  }

  @Test func aPictureThatIsAllBorderStays() throws {
    for format in [PixelFormat.gray8, .rgba8, .rgba16] {
      let bitmap = try Bitmap(7, 5, .white, format)
      #expect(try TransformerPipeline.trim().run(bitmap) == bitmap)
      #expect(try TransformerPipeline.trim(equalsHorizontally: true, equalsVertically: true).run(bitmap) == bitmap)
    }
  }

  @Test func onlyTheGivenColourIsBorder() throws {
    let bitmap = try Self.framed([250, 10, 10, 255], .opaqueRGBA8)
    let red = PixelColor(red: 255, green: 0, blue: 0)
    #expect(try TransformerPipeline.trim(color: red).run(bitmap).size == PixelSize(width: 5, height: 3))
    #expect(try TransformerPipeline.trim(color: red, tolerance: 9).run(bitmap) == bitmap)
    #expect(try TransformerPipeline.trim(color: .white).run(bitmap) == bitmap)
    #expect(try TransformerPipeline.trim(color: .clear).run(bitmap) == bitmap)
    // Grey pixels have three equal components.
    let grey = try Self.framed([3], .gray8)
    #expect(try TransformerPipeline.trim(color: .black).run(grey).size == PixelSize(width: 5, height: 3))
    #expect(try TransformerPipeline.trim(color: red).run(grey) == grey)
  }

  @Test func theToleranceIsMeasuredInStepsOfEightBits() throws {
    for (format, step) in [(PixelFormat.opaqueRGBA8, 1), (PixelFormat(.rgba16, alpha: .opaque), 257)] {
      let top = 255 * step
      let bitmap = try Bitmap(5, 1, format) { x, _ in [0, [0, 10, 11, 10, 0][x] * step, 0, top] }
      #expect(try TransformerPipeline.trim().run(bitmap).size.width == 1, "\(format)")
      #expect(try TransformerPipeline.trim(tolerance: 9).run(bitmap).size.width == 3, "\(format)")
      #expect(try TransformerPipeline.trim(tolerance: 11).run(bitmap).size.width == 5, "\(format)")
    }
  }

  @Test func transparentPixelsHaveNoColour() throws {
    let bitmap = try Bitmap(9, 1, .rgba8) { x, _ in x == 4 ? [0, 0, 0, 255] : [x * 20, 255 - x, 9, 0] }
    #expect(try TransformerPipeline.trim(tolerance: 0).run(bitmap).size.width == 1)
    #expect(try TransformerPipeline.trim(color: .clear, tolerance: 0).run(bitmap).size.width == 1)
  }

  @Test func allFramesAreCutAsTheFirst() throws {
    let first = try Self.framed([3], .gray8)
    let others = try [Bitmap(12, 9, .black, .gray8), Bitmap.noise(12, 9, .gray8)]
    let image = Frames(bitmaps: [first] + others, durations: .init(repeating: .milliseconds(20), count: 3)).image
    let part = PixelRect(x: 3, y: 2, width: 5, height: 3)
    let trimmed = try TransformerPipeline.trim().transformAllFrames(of: image, work: WorkContext())
    let frames = try #require(trimmed.frames)
    for (index, bitmap) in ([first] + others).enumerated() {
      #expect(try frames.frame(at: index) == bitmap.cropped(to: part))
    }
    // The first frame decides as it is where the trim stands in the pipeline.
    let pipeline: TransformerPipeline = [
      .flip(horizontal: true), .trim(), .invert(), .resize(width: 10, filter: .nearest),
    ]
    let longer = try #require(try pipeline.transformAllFrames(of: image, work: WorkContext()).frames)
    #expect(longer.canvasSize == PixelSize(width: 10, height: 6))
    let rest: TransformerPipeline = [
      .flip(horizontal: true), .crop(x: 4, y: 2, width: 5, height: 3), .invert(), .resize(width: 10, filter: .nearest),
    ]
    for (index, bitmap) in ([first] + others).enumerated() {
      #expect(try longer.frame(at: index) == rest.run(bitmap))
    }
  }
}
