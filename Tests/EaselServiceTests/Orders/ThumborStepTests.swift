import EaselTransformers
import Testing

@testable import EaselCore
@testable import EaselService

/// The filters of thumbor that need steps of their own.
struct ThumborStepTests: ThumborAddresses {
  private func result(_ parts: String, of picture: Bitmap) throws -> Bitmap {
    try order(of: parts).pipeline { _ throws(ServiceError) in .identity }.transform(
      Image(picture), work: WorkContext()
    ).bitmap
  }

  private func picture(
    _ width: Int, _ height: Int, _ color: PixelColor, _ format: PixelFormat = .rgba8
  ) throws -> Bitmap {
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: format)
    bitmap.withUnsafeMutableBytes { bytes in
      for index in bytes.indices {
        bytes[index] = [color.red, color.green, color.blue, color.alpha][index % 4]
      }
    }
    return bitmap
  }

  // MARK: Bars

  @Test(arguments: ["auto", "blur"]) func barsAreMadeOfThePicture(_ filling: String) throws {
    let color = PixelColor(red: 200, green: 100, blue: 50)
    let result = try result("fit-in/30x30/filters:fill(\(filling))", of: picture(60, 20, color, .opaqueRGBA8))
    #expect(result.size == PixelSize(width: 30, height: 30))
    for (x, y) in [(0, 0), (15, 15), (29, 29)] {
      let pixel = try #require(result.pixel(x: x, y: y))
      #expect(abs(Int(pixel.red) - 200) < 3 && abs(Int(pixel.blue) - 50) < 3 && pixel.alpha == 255)
    }
  }

  @Test func transparentPixelsShowTheBarsOnlyOnRequest() throws {
    let clear = try picture(60, 20, .clear)
    #expect(try result("fit-in/30x30/filters:fill(auto)", of: clear).pixel(x: 15, y: 15)?.alpha == 0)
    #expect(try result("fit-in/30x30/filters:fill(auto,true)", of: clear).pixel(x: 15, y: 15)?.alpha == 255)
    #expect(try result("filters:fill(auto,true)", of: clear).pixel(x: 5, y: 5)?.alpha == 255)
  }

  @Test func theSidesOfBarsMayBeSwapped() throws {
    let wide = try picture(60, 20, .white, .opaqueRGBA8)
    #expect(try result("adaptive-fit-in/20x30/filters:fill(blur)", of: wide).size == PixelSize(width: 30, height: 20))
    #expect(try key("adaptive-fit-in/20x30/filters:fill(blur)").hasSuffix("PictureBars({20,30},blur,0,adaptive)"))
    #expect(try key("fit-in/20x30/filters:fill(auto,1)").hasSuffix("PictureBars({20,30},auto,1)"))
  }

  // MARK: Corners

  @Test func cornersMayBeQuartersOfEllipses() throws {
    #expect(try key("filters:round_corner(8|4,0,0,0,1)") == "EllipticCorners({8,4})")
    #expect(try key("filters:round_corner(8|4,255,0,0)") == "EllipticCorners({8,4})-Background(#ffff0000)")
    let result = try result("filters:round_corner(8|4,0,0,0,1)", of: picture(40, 20, .white, .opaqueRGBA8))
    for (x, y) in [(0, 0), (39, 0), (0, 19), (39, 19), (2, 0)] { #expect(result.pixel(x: x, y: y)?.alpha == 0) }
    for (x, y) in [(20, 0), (0, 10), (8, 0), (0, 4), (20, 10)] { #expect(result.pixel(x: x, y: y)?.alpha == 255) }
    // The edge is smooth.
    #expect((0..<8).contains { (1..<255).contains(result.pixel(x: $0, y: 1)?.alpha ?? 0) })
  }

  @Test func radiiEndInTheMiddle() throws {
    let result = try result("filters:round_corner(900|400,0,0,0,1)", of: picture(40, 20, .white))
    #expect(result.pixel(x: 0, y: 0)?.alpha == 0 && result.pixel(x: 20, y: 10)?.alpha == 255)
    let dot = try self.result("filters:round_corner(3|4,0,0,0,1)", of: picture(1, 1, .white))
    #expect(dot.pixel(x: 0, y: 0)?.alpha == 255)
  }

  // MARK: Watermarks

  /// The columns and rows at which a black watermark of 10x10 begins on a white picture.
  private func starts(_ x: String, _ y: String, _ width: Int, _ height: Int) throws -> (columns: [Int], rows: [Int]) {
    guard case .steps(let steps) = try order(of: "filters:watermark(h/l.png,\(x),\(y),0)").pixels,
      case .watermark(let watermark)? = steps.first
    else { return ([], []) }
    let mark = Watermark(bitmap: try picture(10, 10, .black, .opaqueRGBA8), name: "m")
    let result = try watermark.transformer(mark).transform(
      Image(picture(width, height, .white, .opaqueRGBA8)), work: WorkContext()
    ).bitmap
    func isBlack(_ x: Int, _ y: Int) -> Bool { result.pixel(x: x, y: y) == .black }
    let columns = (0..<width).filter { x in (0..<height).contains { isBlack(x, $0) } }
    let rows = (0..<height).filter { y in (0..<width).contains { isBlack($0, y) } }
    func firsts(_ places: [Int]) -> [Int] { places.filter { !places.contains($0 - 1) } }
    return (firsts(columns), firsts(rows))
  }

  @Test(
    arguments: [
      // Three of 10 in 36 leave 6 for two gaps.
      ("repeat", "0", 36, 20, [0, 13, 26], [0]), ("repeat", "-2", 36, 20, [0, 13, 26], [8]),
      ("center", "repeat", 20, 47, [5], [0, 12, 24, 36]), ("repeat", "repeat", 25, 34, [0, 15], [0, 12, 24]),
      // Without room for two, the second is cut off.
      ("repeat", "0", 15, 12, [0], [0]), ("repeat", "0", 9, 12, [0], [0]),
      // From a hundred on there are only six along each side.
      ("repeat", "repeat", 115, 122, [0, 21, 42, 63, 84, 105], [0, 22, 44, 66, 88, 110]),
    ] as [(String, String, Int, Int, [Int], [Int])])
  func repeatedWatermarksAreSpreadEvenly(
    _ x: String, _ y: String, _ width: Int, _ height: Int, _ columns: [Int], _ rows: [Int]
  ) throws {
    let found = try starts(x, y, width, height)
    #expect(found.columns == columns && found.rows == rows, "\(found)")
  }

  @Test func aScaleBoundsTheSidesThatItNames() throws {
    // A mark of 20x10 on 100x100.
    let mark = Watermark(bitmap: try picture(20, 10, .black, .opaqueRGBA8), name: "m")
    for (scale, width, height) in [
      (WatermarkOrder.Scale(x: 0.5, y: 0), 50, 25), (.init(x: 0, y: 0.2), 40, 20), (.init(x: 0.5, y: 0.2), 40, 20),
      (.init(0.5), 50, 25),
    ] {
      var order = WatermarkOrder(source: "s")
      (order.scale, order.gravity) = (scale, .northWest)
      for isSpread in [false, true] {
        order.spread = isSpread ? .init(x: .repeated, y: .edge(isFar: false, .pixels(0))) : nil
        let result = try order.transformer(mark).transform(
          Image(picture(100, 100, .white, .opaqueRGBA8)), work: WorkContext()
        ).bitmap
        #expect(result.pixel(x: width - 1, y: height - 1) == .black && result.pixel(x: 0, y: height) == .white)
        if !isSpread { #expect(result.pixel(x: width, y: 0) == .white) }
      }
    }
  }
}
