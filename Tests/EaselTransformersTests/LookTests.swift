import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

struct LookTests {
  static let red = PixelColor(red: 255, green: 0, blue: 0)

  @Test(arguments: [PixelFormat.opaqueRGBA8, .gray8, PixelFormat(.rgba16, alpha: .opaque)])
  func roundCornersCutOnlyCorners(format: PixelFormat) throws {
    let rounded = try TransformerPipeline.roundCorners(8).run(Bitmap(31, 21, .white, format))
    let top = format.layout == .rgba16 ? 65_535 : 255
    #expect(rounded.format.alpha == .straight)
    for (x, y) in [(0, 0), (30, 0), (0, 20), (30, 20)] { #expect(rounded.components(x, y)[3] == 0) }
    for (x, y) in [(15, 0), (0, 10), (30, 10), (15, 20), (15, 10)] {
      #expect(rounded.components(x, y) == [top, top, top, top])
    }
    // Some pixel along the curve is antialiased.
    #expect((0..<8).contains { (1..<top).contains(rounded.components($0, 1)[3]) })
  }

  @Test func onlyTheNamedCornersAreCut() throws {
    let rounded = try TransformerPipeline.roundCorners(5, corners: [.topRight, .bottomLeft]).run(
      Bitmap(20, 20, .white, .opaqueRGBA8))
    #expect(rounded.components(0, 0)[3] == 255 && rounded.components(19, 19)[3] == 255)
    #expect(rounded.components(19, 0)[3] == 0 && rounded.components(0, 19)[3] == 0)
  }

  @Test func aBorderRunsInsideTheEdge() throws {
    let bordered = try TransformerPipeline.roundCorners(0, borderWidth: 2, borderColor: Self.red).run(
      Bitmap(10, 10, .white, .opaqueRGBA8))
    #expect(bordered.format.alpha == .opaque)
    #expect(bordered.components(0, 0) == [255, 0, 0, 255] && bordered.components(1, 5) == [255, 0, 0, 255])
    #expect(bordered.components(2, 2) == [255, 255, 255, 255])
  }

  @Test func aRadiusBeyondHalfTheShorterSideMakesAPill() throws {
    let bitmap = try Bitmap(20, 10, .white, .opaqueRGBA8)
    #expect(try TransformerPipeline.roundCorners(500).run(bitmap) == TransformerPipeline.roundCorners(5).run(bitmap))
  }

  @Test func aTintKeepsTheShape() throws {
    let shape = try Bitmap(3, 1, .rgba8) { x, _ in [10, 20, 30, [0, 128, 255][x]] }
    let tinted = try TransformerPipeline.tint(Self.red).run(shape)
    #expect((0..<3).map { tinted.components($0, 0) } == [[0, 0, 0, 0], [255, 0, 0, 128], [255, 0, 0, 255]])
    let opaque = try TransformerPipeline.tint(Self.red, mode: .multiply).run(
      Bitmap(2, 2, PixelColor(red: 100, green: 100, blue: 100), .gray8))
    #expect(opaque.components(0, 0) == [100, 0, 0, 255] && opaque.format.alpha == .opaque)
  }

  @Test func redAndBlueAreNotMixedUp() throws {
    let bgra = PixelFormat(.bgra8, alpha: .straight)
    let bitmap = try Bitmap.noise(12, 9, .rgba8)
    let mark = try Bitmap.noise(4, 4, .rgba8, seed: 5)
    let pipelines: [TransformerPipeline] = [
      .tint(Self.red, mode: .multiply), .sepia(), .pad(1, color: Self.red),
      .roundCorners(3, borderWidth: 2, borderColor: Self.red), .overlay(mark, name: "m"), .saturation(2),
    ]
    for pipeline in pipelines {
      let one = try pipeline.run(bitmap).converted(to: bgra)
      #expect(try pipeline.run(bitmap.converted(to: bgra)) == one, "\(pipeline.cacheKey)")
    }
  }

  static let colors: [(TransformerPipeline, [Int])] = [
    (.grayscale, [106, 106, 106, 90]), (.grayscale(0), [200, 80, 90, 90]), (.saturation(0), [106, 106, 106, 90]),
    (.brightness(0.5), [100, 40, 45, 90]), (.brightness(2), [255, 160, 180, 90]), (.brightness(0), [0, 0, 0, 90]),
    (.contrast(0), [128, 128, 128, 90]), (.contrast(2), [255, 33, 53, 90]), (.invert(), [55, 175, 165, 90]),
    (.sepia(), [157, 140, 109, 90]),
  ]

  @Test(arguments: colors)
  func coloursMoveAsTheirFormulasSay(pipeline: TransformerPipeline, expected: [Int]) throws {
    let bitmap = try Bitmap(3, 1, PixelColor(red: 200, green: 80, blue: 90, alpha: 90), .rgba8)
    let result = try pipeline.run(bitmap).components(2, 0)
    for (ours, wanted) in zip(result, expected) { #expect(abs(ours - wanted) <= 1, "\(result)") }
  }

  @Test func aDuotoneRunsFromShadowsToHighlights() throws {
    let (dark, light) = (PixelColor(red: 20, green: 40, blue: 200), PixelColor(red: 255, green: 240, blue: 0))
    let toned = TransformerPipeline.duotone(shadows: dark, highlights: light)
    for format in [PixelFormat.rgba8, .gray8] {
      let ends = try Bitmap(2, 1, format) { x, _ in format == .gray8 ? [x * 255] : [x * 255, x * 255, x * 255, 90] }
      let result = try toned.run(ends)
      let alpha = format == .gray8 ? 255 : 90
      #expect(result.components(0, 0) == [20, 40, 200, alpha] && result.components(1, 0) == [255, 240, 0, alpha])
    }
    // Pure green has a luminance of 0.7152.
    let green = try Bitmap(1, 1, PixelColor(red: 0, green: 255, blue: 0), .opaqueRGBA8)
    let expected = [20 + 0.7152 * 235, 40 + 0.7152 * 200, 200 - 0.7152 * 200]
    for (ours, wanted) in zip(try toned.run(green).components(0, 0), expected) {
      #expect(abs(Double(ours) - wanted) <= 1)
    }
    let half = try TransformerPipeline.duotone(shadows: dark, highlights: light, amount: 0.5).run(green)
    for (ours, wanted) in zip(half.components(0, 0), [expected[0] / 2, (expected[1] + 255) / 2, expected[2] / 2]) {
      #expect(abs(Double(ours) - wanted) <= 1)
    }
    let bitmap = try Bitmap.noise(9, 7, .rgba8)
    #expect(
      try TransformerPipeline.duotone(shadows: dark, highlights: light, amount: 0).run(bitmap)
        .largestDifference(from: bitmap) <= 1)
    #expect(
      try TransformerPipeline.duotone(shadows: .black, highlights: .white).run(bitmap)
        .largestDifference(from: TransformerPipeline.grayscale.run(bitmap)) <= 1)
  }

  @Test(arguments: [PixelFormat.gray8, .opaqueRGBA8, PixelFormat(.rgba16, alpha: .opaque)], [2, 3, 5, 9, 40, Int.max])
  func squaresHaveTheMeanOfTheirPixels(format: PixelFormat, block: Int) throws {
    let bitmap = try Bitmap.noise(23, 16, format)
    let result = try TransformerPipeline.pixelate(block).run(bitmap)
    #expect(result.size == bitmap.size && result.format == format)
    let side = min(block, 23)
    for (y, x) in (0..<16).flatMap({ y in (0..<23).map { (y, $0) } }) {
      let (left, top) = (x / side * side, y / side * side)
      var sums = bitmap.components(0, 0).map { _ in 0 }
      var count = 0
      for row in top..<min(16, top + side) {
        for column in left..<min(23, left + side) {
          for (index, value) in bitmap.components(column, row).enumerated() { sums[index] += value }
          count += 1
        }
      }
      for (ours, sum) in zip(result.components(x, y), sums) {
        #expect(abs(Double(ours) - Double(sum) / Double(count)) <= (format.layout == .rgba16 ? 40 : 1), "\(x),\(y)")
      }
    }
  }

  @Test func squaresOfOnePixelChangeNothing() throws {
    let bitmap = try Bitmap.noise(9, 7, .rgba8)
    #expect(try TransformerPipeline.pixelate(1).run(bitmap) == bitmap)
  }

  @Test func greyStaysGreyWhereItCan() throws {
    let grey = try Bitmap.noise(12, 9, .gray8)
    let staying: [TransformerPipeline] = [
      .grayscale, .brightness(0.7), .contrast(1.2), .invert(), .saturation(3), .blur(2), .sharpen(), .resize(width: 5),
      .flip(horizontal: true), .rotate(degrees: 90), .crop(x: 1, y: 1, width: 3, height: 3),
      .pixelate(3), .trim(), .duotone(shadows: .black, highlights: .white),
    ]
    for pipeline in staying { #expect(try pipeline.run(grey).format == .gray8, "\(pipeline.cacheKey)") }
    #expect(try TransformerPipeline.saturation(3).run(grey).largestDifference(from: grey) <= 1)
    #expect(try TransformerPipeline.sepia().run(grey).format == .opaqueRGBA8)
  }

  @Test func sixteenBitsStaySixteen() throws {
    let deep = try Bitmap.noise(12, 9, .rgba16)
    var transformers = try TestTransformers(seed: 1)
    for transformer in transformers.all() where !transformer.cacheKey.hasPrefix("Crop(") {
      #expect(try transformer.run(deep).format.layout == .rgba16, "\(transformer.cacheKey)")
    }
  }

  @Test func opaqueStaysOpaqueWhereItCan() throws {
    let opaque = try Bitmap.noise(12, 9, .opaqueRGBA8)
    let staying: [TransformerPipeline] = [
      .grayscale, .sepia(), .blur(2), .sharpen(), .resize(width: 5), .resize(width: 5, height: 5, mode: .fill),
      .rotate(degrees: 90), .tint(Self.red, mode: .multiply), .roundCorners(0),
      .overlay(try Bitmap.noise(3, 3, .rgba8), name: "m"), .pixelate(3), .trim(),
      .duotone(shadows: .black, highlights: .white),
      .extend(ratioWidth: 2, ratioHeight: 1, color: Self.red),
    ]
    for pipeline in staying { #expect(try pipeline.run(opaque).format.alpha == .opaque, "\(pipeline.cacheKey)") }
  }

  @Test(arguments: [PixelFormat.rgba8, .rgba16])
  func transparentColoursDoNotBleed(format: PixelFormat) throws {
    let top = format.layout == .rgba16 ? 65_535 : 255
    let board = try Bitmap(24, 24, format) { x, y in (x + y) % 2 == 0 ? [top, 0, 0, 0] : [top, top, top, top] }
    let pipelines: [TransformerPipeline] = [
      .resize(width: 11), .resize(width: 40, filter: .bicubic), .blur(1.5), .rotate(degrees: 20), .pixelate(5),
    ]
    for pipeline in pipelines {
      let result = try pipeline.run(board)
      for y in 0..<result.height {
        for x in 0..<result.width {
          let pixel = result.components(x, y)
          // Nearly transparent pixels have hardly any colour.
          guard pixel[3] > top / 4 else { continue }
          #expect(pixel[0] - pixel[1] <= top / 50, "\(pipeline.cacheKey) at \(x),\(y): \(pixel)")
        }
      }
    }
  }

  @Test func anOverlayLiesWhereItIsAnchored() throws {
    let ground = try Bitmap(11, 11, .black, .opaqueRGBA8)
    let mark = try Bitmap(3, 3, .white, .rgba8)
    let white = [255, 255, 255, 255]
    let corner = try TransformerPipeline.overlay(mark, name: "m", insetX: 1, insetY: 2).run(ground)
    #expect(corner.components(9, 8) == white && corner.components(7, 6) == white)
    #expect(corner.components(10, 8) != white && corner.components(9, 9) != white)
    let middle = try TransformerPipeline.overlay(mark, name: "m", anchor: .center, opacity: 0.5).run(ground)
    #expect(middle.components(5, 5) == [128, 128, 128, 255] && middle.components(3, 5) == [0, 0, 0, 255])
  }
}
