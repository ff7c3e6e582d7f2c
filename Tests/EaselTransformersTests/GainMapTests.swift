import EaselCore
import EaselPixels
import EaselTestPixels
import Glibc
import Testing

@testable import EaselTransformers

/// A gain map follows its picture through transformers.
struct GainMapTests {
  private static let formula = GainMap.Formula(
    leastGain: SIMD3(repeating: -1), greatestGain: SIMD3(repeating: 3), alternateHeadroom: 3)
  /// The map's value that changes nothing.
  private static let neutral = 64

  /// A smooth function of the place in the full picture, from 0 to 1 on both axes.
  private static func level(_ x: Double, _ y: Double) -> Int {
    Int((120 + 60 * sin(5 * x) + 50 * cos(4 * y + x)).rounded())
  }

  /// A picture of 400x300 with a map of a quarter of its sides; both show the same function.
  private func image(alpha: PixelFormat.Alpha = .opaque) throws -> Image {
    let picture = try Bitmap(400, 300, PixelFormat(.rgba8, alpha: alpha)) { x, y in
      let level = Self.level((Double(x) + 0.5) / 400, (Double(y) + 0.5) / 300)
      return [level, level, level, 255]
    }
    var image = Image(picture)
    let map = try Bitmap(100, 75, .gray8) { x, y in [Self.level((Double(x) + 0.5) / 100, (Double(y) + 0.5) / 75)] }
    image.metadata.gainMap = GainMap(map, formula: Self.formula)
    return image
  }

  private func result(_ pipeline: TransformerPipeline, of image: Image) throws -> (Image, Bitmap) {
    let made = try pipeline.transformed(image, work: WorkContext())
    return (made, try #require(made.metadata.gainMap?.bitmap))
  }

  /// Both show the same function, so the map must be what the picture is at its size.
  ///
  /// Pixels at the edge of a crop are left out: there the picture ends, but the map knows what lies beyond.
  private func expectSame(_ map: Bitmap, _ picture: Bitmap, margin: Int = 0, tolerance: Int = 2) throws {
    let small = try picture.converted(to: .opaqueRGBA8).resized(to: map.size)
    var most = 0
    for y in margin..<map.height - margin {
      for x in margin..<map.width - margin {
        most = max(most, abs(map.components(x, y)[0] - small.components(x, y)[0]))
      }
    }
    #expect(most <= tolerance, "\(most)")
  }

  @Test(arguments: [
    TransformerPipeline.resize(width: 200), .resize(width: 123, height: 77), .resize(width: 800),
    .resize(width: 120, height: 120, mode: .fill),
    .resize(width: 90, height: 120, mode: .fill, gravity: .west),
    .resize(width: 100, filter: .bilinear), .flip(horizontal: true), .flip(vertical: true), .rotate(degrees: 90),
    .rotate(degrees: -90), .rotate(degrees: 180), .crop(x: 100, y: 100, width: 200, height: 120),
    .crop(x: 101, y: 33, width: 203, height: 161), .crop(ratioWidth: 1, ratioHeight: 1, gravity: .south),
    .crop(x: 41, y: 23, width: 301, height: 201).then(.resize(width: 111)),
    .crop(width: 150, height: 150, gravity: .smart),
    .resize(width: 64, height: 64, mode: .fill, gravity: .smart),
    .crop(x: 10, y: 20, width: 300, height: 250).then(.rotate(degrees: 90)).then(.resize(height: 200)).then(
      .flip(horizontal: true)),
  ])
  func theMapShowsWhatThePictureShows(pipeline: TransformerPipeline) throws {
    let image = try image()
    let (made, map) = try result(pipeline, of: image)
    let ratios = (Double(map.width) / Double(made.size.width), Double(map.height) / Double(made.size.height))
    #expect(
      abs(ratios.0 - 0.25) < 0.6 / Double(made.size.width) && abs(ratios.1 - 0.25) < 0.6 / Double(made.size.height))
    try expectSame(
      map, made.bitmap, margin: pipeline.cacheKey.contains("Crop") || pipeline.cacheKey.contains(",2") ? 3 : 1)
  }

  @Test func aPictureDecodedSmallerGivesTheSameMap() throws {
    let image = try image()
    let pipeline = TransformerPipeline.crop(x: 41, y: 23, width: 301, height: 201).then(
      .resize(width: 50, fidelity: .fast))
    let plan = pipeline.plan(for: image.size)
    let least = try #require(plan.leastSize)
    var small = Image(try image.bitmap.resized(to: least))
    small.metadata.gainMap = image.metadata.gainMap
    let made = try plan.transformer.transformed(small, work: WorkContext())
    let whole = try result(pipeline, of: image)
    #expect(made.metadata.gainMap?.bitmap == whole.1)
  }

  @Test func aMapDecodedSmallerGivesOneOfTheSameSize() throws {
    let image = try image()
    var small = image
    small.metadata.gainMap?.bitmap = try #require(image.metadata.gainMap?.bitmap).resized(
      to: PixelSize(width: 50, height: 38))
    small.metadata.gainMap?.fullSize = PixelSize(width: 100, height: 75)
    let pipeline = TransformerPipeline.crop(x: 41, y: 23, width: 301, height: 201).then(.resize(width: 60))
    let (one, other) = (try result(pipeline, of: small), try result(pipeline, of: image))
    #expect(one.1.size == other.1.size && one.0.metadata.gainMap?.fullSize == nil)
    try expectSame(one.1, one.0.bitmap, margin: 3, tolerance: 3)
    let turned = try TransformerPipeline.rotate(degrees: 90).transformed(small, work: WorkContext())
    #expect(turned.metadata.gainMap?.fullSize == PixelSize(width: 75, height: 100))
  }

  @Test func barsHaveNoGain() throws {
    let image = try image()
    let (made, map) = try result(.pad(top: 40, left: 80, bottom: 0, right: 0), of: image)
    #expect(made.size == PixelSize(width: 480, height: 340) && map.size == PixelSize(width: 120, height: 85))
    #expect(map.components(0, 0)[0] == Self.neutral && map.components(19, 84)[0] == Self.neutral)
    let inner = try map.cropped(to: PixelRect(x: 20, y: 10, width: 100, height: 75))
    #expect(inner == image.metadata.gainMap?.bitmap)
    let (_, extended) = try result(.extend(width: 500, height: 300, gravity: .east), of: image)
    #expect(extended.size == PixelSize(width: 125, height: 75) && extended.components(24, 30)[0] == Self.neutral)
    #expect(try extended.cropped(to: PixelRect(x: 25, y: 0, width: 100, height: 75)) == image.metadata.gainMap?.bitmap)
    let (_, fitted) = try result(.resize(width: 200, height: 200, mode: .pad), of: image)
    #expect(fitted.size == PixelSize(width: 50, height: 50))
    #expect(fitted.components(25, 2)[0] == Self.neutral && fitted.components(25, 47)[0] == Self.neutral)
    #expect(fitted.components(25, 25)[0] != Self.neutral)
    let (_, clipped) = try result(.rotate(degrees: 90, fit: false), of: image)
    #expect(clipped.size == PixelSize(width: 100, height: 75) && clipped.components(0, 30)[0] == Self.neutral)
  }

  @Test func aTrimCutsTheMapLikewise() throws {
    let image = try image()
    var framed = try TransformerPipeline.pad(40, color: .black).transformed(image, work: WorkContext())
    framed.bitmap = try framed.bitmap.flattened(over: .black)
    let (made, map) = try result(.trim(color: .black, tolerance: 5), of: framed)
    #expect(made.size == image.size && map == image.metadata.gainMap?.bitmap)
  }

  @Test(arguments: [
    TransformerPipeline.grayscale(1), .brightness(0.2), .brightness(0.2).then(.contrast(1.2)), .sharpen(1), .blur(2),
    .convolution([[1, 2, 1]], normalizes: true), .background(.white), .crop(width: 400, height: 300), .identity,
  ])
  func colorsLeaveTheMap(pipeline: TransformerPipeline) throws {
    let image = try image()
    #expect(try result(pipeline, of: image).1 == image.metadata.gainMap?.bitmap)
  }

  @Test func drawingAndOtherTurnsDropTheMap() throws {
    let image = try image()
    let picture = try Bitmap.noise(10, 10, .rgba8)
    let pipelines: [TransformerPipeline] = [
      .rotate(degrees: 10), .roundCorners(12), .tint(.black), .pixelate(8), .overlay(picture, name: "x"),
      .closure(key: "Mine") { Image(try $0.bitmap.flipped(horizontally: true, vertically: false)) },
      .closure(key: "Changed") { image in
        var image = image
        image.bitmap = try image.bitmap.flipped(horizontally: true, vertically: false)
        return image
      },
    ]
    for pipeline in pipelines {
      let made = try pipeline.transformed(image, work: WorkContext())
      #expect(made.metadata.gainMap == nil, "\(pipeline.cacheKey)")
    }
  }

  @Test func aTransformerOfOnesOwnMayUseOthers() throws {
    let image = try image()
    let own = TransformerPipeline.closure(key: "Mine") { image in
      try TransformerPipeline.resize(width: 100).transform(image, work: WorkContext())
    }
    #expect(try result(own, of: image).1.size == PixelSize(width: 25, height: 19))
  }

  @Test func aMapOfOnePixelStaysOne() throws {
    var image = try image()
    image.metadata.gainMap?.bitmap = try Bitmap(1, 1, .gray8) { _, _ in [99] }
    let (_, map) = try result(.crop(x: 399, y: 299, width: 1, height: 1).then(.resize(width: 3)), of: image)
    #expect(map.size == PixelSize(width: 1, height: 1) && map.components(0, 0) == [99])
  }
}
