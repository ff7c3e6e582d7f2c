import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

struct EffectsTests {
  @Test(arguments: ResizeTests.formats)
  func aBlurKeepsAConstant(format: PixelFormat) throws {
    let color = PixelColor(red: 180, green: 180, blue: 180)
    let bitmap = try Bitmap(23, 19, color, format)
    for radius in [0.3, 1, 4.5, 100] { #expect(try bitmap.blurred(radius: radius) == bitmap) }
  }

  @Test func aBlurSpreadsByItsRadius() throws {
    let point = try Bitmap(101, 101, PixelFormat(.rgba16, alpha: .opaque)) { x, y in
      x == 50 && y == 50 ? [65_535, 65_535, 65_535, 65_535] : [0, 0, 0, 65_535]
    }
    let blurred = try point.blurred(radius: 5)
    let weights = (0..<101).map { x in (0..<101).reduce(0.0) { $0 + Double(blurred.components(x, $1)[0]) } }
    let total = weights.reduce(0, +)
    let variance = weights.enumerated().reduce(0.0) { $0 + $1.element * Double(($1.offset - 50) * ($1.offset - 50)) }
    #expect(abs(total / 65_535 - 1) < 0.05)
    #expect(abs((variance / total).squareRoot() - 5) < 0.25)
  }

  @Test func sharpeningRaisesEdgesAndKeepsFlatParts() throws {
    let edge = try Bitmap(20, 20, .gray8) { x, _ in [x < 10 ? 80 : 160] }
    let sharp = try edge.sharpened(amount: 1, radius: 1, work: WorkContext())
    #expect(sharp.components(0, 10) == [80] && sharp.components(19, 10) == [160])
    #expect(sharp.components(9, 10)[0] < 75 && sharp.components(10, 10)[0] > 165)
  }

  @Test func matricesOfBothOrdersOfColoursAgree() throws {
    let matrix = Bitmap.ColorMatrix(rows: [
      [0.5, 0.2, 0.1, 0, 0.1], [0, 1, 0, 0, 0], [0.3, 0, 0.6, 0, 0], [0, 0, 0, 1, 0],
    ])
    let bitmap = try Bitmap.noise(7, 5, .rgba8)
    let bgra = PixelFormat(.bgra8, alpha: .straight)
    #expect(try bitmap.applying(matrix).converted(to: bgra) == bitmap.converted(to: bgra).applying(matrix))
    #expect(try bitmap.applying(matrix) != bitmap)
  }

  @Test func oneMatrixAfterAnotherIsTheirProduct() throws {
    let first = Bitmap.ColorMatrix(rows: [
      [0.5, 0.2, 0.1, 0, 0.1], [0, 0.9, 0.05, 0, 0], [0.3, 0, 0.6, 0, 0.02], [0, 0, 0, 1, 0],
    ])
    let second = Bitmap.ColorMatrix(rows: [
      [0, 1, 0, 0, 0], [0, 0, 0.7, 0, 0.2], [0.9, 0, 0, 0, 0], [0, 0, 0, 0.5, 0.25],
    ])
    let bitmap = try Bitmap.noise(7, 5, .rgba16)
    let apart = try bitmap.applying(first).applying(second)
    #expect(try bitmap.applying(first.then(second)).largestDifference(from: apart) <= 2)
  }

  @Test func whatRemovesAlphaMakesAnOpaquePictureTransparent() throws {
    let bitmap = try Bitmap(3, 3, .white, .opaqueRGBA8)
    let half = try bitmap.blended(with: PixelColor(red: 255, green: 0, blue: 0, alpha: 128), mode: .sourceIn)
    #expect(half.format.alpha == .straight && half.components(1, 1) == [255, 0, 0, 128])
    let over = try bitmap.blended(with: PixelColor(red: 255, green: 0, blue: 0, alpha: 128), mode: .normal)
    #expect(over.format.alpha == .opaque && over.components(1, 1) == [255, 127, 127, 255])
  }

  @Test func anOverlayIsCutOffAtTheEdges() throws {
    let ground = try Bitmap(10, 10, .black, .opaqueRGBA8)
    let mark = try Bitmap(4, 4, .white, .rgba8)
    let marked = try ground.overlaid(with: mark, x: -2, y: 8)
    #expect(marked.components(1, 9) == [255, 255, 255, 255] && marked.components(2, 9) == [0, 0, 0, 255])
    #expect(marked.components(0, 7) == [0, 0, 0, 255])
    #expect(try ground.overlaid(with: mark, x: 10, y: 0) == ground)
  }
}
