import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

struct ConvertTests {
  @Test(
    arguments: ResizeTests.formats.filter { $0.layout != .gray8 }, ResizeTests.formats.filter { $0.layout != .gray8 })
  func everyPairOfColourFormatsKeepsOpaqueColours(from: PixelFormat, to: PixelFormat) throws {
    let color = PixelColor(red: 250, green: 128, blue: 3)
    let bitmap = try Bitmap(5, 3, color, from)
    #expect(try bitmap.converted(to: to) == Bitmap(5, 3, color, to))
  }

  @Test(
    arguments: ResizeTests.formats.filter { $0.layout != .gray8 }, ResizeTests.formats.filter { $0.layout != .gray8 })
  func aBitmapIsChangedAsACopyIsAndOnlyTheOne(from: PixelFormat, to: PixelFormat) throws {
    let bitmap = try Bitmap.noise(37, 5, from)
    var changed = bitmap
    try changed.convert(to: to, work: WorkContext())
    #expect(try changed == bitmap.converted(to: to))
    #expect(try bitmap == Bitmap.noise(37, 5, from))
  }

  @Test func pixelsThatKeepTheirSizeStayWhereTheyAre() throws {
    var bitmap = try Bitmap.noise(37, 5, PixelFormat(.bgra8, alpha: .premultiplied))
    let start = bitmap.withUnsafeBytes { $0.baseAddress }
    try bitmap.convert(to: .rgba8, work: WorkContext())
    #expect(bitmap.withUnsafeBytes { $0.baseAddress } == start)
    #expect(bitmap.format == .rgba8)
  }

  @Test func greyBecomesColour() throws {
    let grey = try Bitmap(5, 3, .gray8) { x, y in [x * 50 + y] }
    #expect(try grey.converted(to: .opaqueRGBA8).components(4, 2) == [202, 202, 202, 255])
    #expect(try grey.converted(to: .rgba16).components(4, 2) == [202 * 257, 202 * 257, 202 * 257, 65_535])
    #expect(throws: ImageError.self) { try grey.converted(to: .rgba8).converted(to: .gray8) }
  }

  @Test func redAndBlueChangePlaces() throws {
    let bitmap = try Bitmap.noise(6, 4, .rgba8)
    let swapped = try bitmap.converted(to: PixelFormat(.bgra8, alpha: .straight))
    let (one, other) = (bitmap.components(3, 2), swapped.components(3, 2))
    #expect(one == [other[2], other[1], other[0], other[3]])
    #expect(try swapped.converted(to: .rgba8) == bitmap)
  }

  @Test func eightBitsSurviveSixteen() throws {
    let bitmap = try Bitmap.noise(16, 16, .rgba8)
    #expect(try bitmap.converted(to: .rgba16).converted(to: .rgba8) == bitmap)
  }

  @Test func premultiplyingIsUndoneWhereAlphaIsNotSmall() throws {
    let bitmap = try Bitmap(256, 2, .rgba8) { x, y in [x, 255 - x, 128, y == 0 ? 255 : 240] }
    let back = try bitmap.converted(to: PixelFormat(.rgba8, alpha: .premultiplied)).converted(to: .rgba8)
    #expect(back.largestDifference(from: bitmap) <= 1)
  }

  @Test func flatteningShowsTheGround() throws {
    let bitmap = try Bitmap(2, 1, .rgba8) { x, _ in x == 0 ? [200, 100, 0, 0] : [200, 100, 0, 51] }
    let flat = try bitmap.flattened(over: .white)
    #expect(flat.format == .opaqueRGBA8)
    #expect(flat.components(0, 0) == [255, 255, 255, 255])
    #expect(flat.components(1, 0) == [244, 224, 204, 255])
  }

  @Test func opaqueIsMarkedOnlyWhereItIs() throws {
    #expect(try Bitmap(5, 5, .white, .rgba8).markedOpaqueIfPossible().format.alpha == .opaque)
    let hole = try Bitmap(5, 5, .rgba8) { x, y in [0, 0, 0, x == 4 && y == 4 ? 254 : 255] }
    #expect(hole.markedOpaqueIfPossible().format.alpha == .straight)
  }

  @Test func aPartIsCopiedAsItIs() throws {
    let bitmap = try Bitmap.noise(9, 7, .rgba16)
    let part = try bitmap.cropped(to: PixelRect(x: 3, y: 2, width: 4, height: 5))
    #expect(part.components(0, 0) == bitmap.components(3, 2))
    #expect(part.components(3, 4) == bitmap.components(6, 6))
    #expect(throws: ImageError.self) { try bitmap.cropped(to: PixelRect(x: 8, y: 0, width: 2, height: 1)) }
  }
}
