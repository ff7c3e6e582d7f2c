import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

struct TurnTests {
  static let sizes = [
    PixelSize(width: 1, height: 1), PixelSize(width: 1, height: 7), PixelSize(width: 9, height: 1),
    PixelSize(width: 33, height: 17),
  ]

  @Test(arguments: sizes, ResizeTests.formats)
  func fourQuarterTurnsAreTheIdentity(size: PixelSize, format: PixelFormat) throws {
    let bitmap = try Bitmap.noise(size.width, size.height, format)
    var turned = bitmap
    for _ in 0..<4 { turned = try turned.rotated(quarterTurns: 1) }
    #expect(turned == bitmap)
    #expect(try bitmap.rotated(quarterTurns: 1).rotated(quarterTurns: -1) == bitmap)
    #expect(try bitmap.rotated(quarterTurns: 2) == bitmap.rotated(quarterTurns: 1).rotated(quarterTurns: 1))
  }

  @Test(arguments: sizes, ResizeTests.formats)
  func twoFlipsAreTheIdentity(size: PixelSize, format: PixelFormat) throws {
    let bitmap = try Bitmap.noise(size.width, size.height, format)
    for (horizontal, vertical) in [(true, false), (false, true), (true, true)] {
      let flipped = try bitmap.flipped(horizontally: horizontal, vertically: vertical)
      #expect(try flipped.flipped(horizontally: horizontal, vertically: vertical) == bitmap)
    }
  }

  @Test func aQuarterTurnIsCounterClockwise() throws {
    let bitmap = try Bitmap(3, 2, .gray8) { x, y in [x + 10 * y] }
    let turned = try bitmap.rotated(quarterTurns: 1)
    #expect(turned.size == PixelSize(width: 2, height: 3))
    // The right column becomes the top row.
    #expect((0..<2).map { turned.components($0, 0) } == [[2], [12]])
    #expect((0..<2).map { turned.components($0, 2) } == [[0], [10]])
  }

  @Test(arguments: ImageMetadata.Orientation.allCases)
  func everyOrientationMovesPixelsWhereItSays(orientation: ImageMetadata.Orientation) throws {
    // The picture is tall enough for several bands.
    let (width, height) = (301, 1201)
    let bitmap = try Bitmap.noise(width, height, .rgba8)
    let upright = try bitmap.oriented(orientation)
    #expect(upright.size == (orientation.swapsSides ? bitmap.size.transposed : bitmap.size))
    for (x, y) in [(0, 0), (300, 0), (0, 1200), (300, 1200), (17, 831), (123, 45)] {
      let (toX, toY) =
        switch orientation {
        case .up: (x, y)
        case .upMirrored: (width - 1 - x, y)
        case .down: (width - 1 - x, height - 1 - y)
        case .downMirrored: (x, height - 1 - y)
        case .leftMirrored: (y, x)
        case .right: (height - 1 - y, x)
        case .rightMirrored: (height - 1 - y, width - 1 - x)
        case .left: (y, width - 1 - x)
        }
      #expect(upright.components(toX, toY) == bitmap.components(x, y))
    }
  }

  @Test func anyAngleTurnsAroundTheCentre() throws {
    let bitmap = try Bitmap(21, 21, PixelColor(red: 200, green: 10, blue: 30), .opaqueRGBA8)
    let fitted = try bitmap.rotated(radians: .pi / 4, fit: true)
    #expect(fitted.size == PixelSize(width: 30, height: 30))
    #expect(fitted.format.alpha == .straight)
    #expect(fitted.components(0, 0) == [0, 0, 0, 0])
    #expect(fitted.components(15, 15) == [200, 10, 30, 255])
    let clipped = try bitmap.rotated(radians: .pi / 4, fit: false)
    #expect(clipped.size == bitmap.size)
    #expect(clipped.components(0, 0)[3] == 0 && clipped.components(10, 10) == [200, 10, 30, 255])
  }

  @Test func aQuarterOfTheAnyAngleKindAgreesWithTheExactOne() throws {
    let bitmap = try Bitmap.noise(13, 8, .rgba16)
    let exact = try bitmap.rotated(quarterTurns: 1)
    let general = try bitmap.rotated(radians: .pi / 2, fit: true)
    #expect(general.size == exact.size)
    #expect(
      try general.converted(to: PixelFormat(.rgba16, alpha: .premultiplied)).largestDifference(
        from: exact.converted(to: PixelFormat(.rgba16, alpha: .premultiplied))) <= 2)
  }
}
