import EaselCore
import EaselTestPixels
import Testing

@testable import EaselPNG

struct EncodingTests {
  private typealias T = PNGTesting

  @Test(arguments: [1, 2, 3, 4, 5, 16, 17, 255, 256, 257])
  func aPaletteHoldsUpTo256Colours(colors: Int) throws {
    let bitmap = try Bitmap(40, 20, .rgba8) { x, y in
      let index = (y * 40 + x) % colors
      return [index * 7 % 256, index % 256, 255 - index % 256, index % 3 == 0 ? index % 256 : 255 - index / 256]
    }
    let bytes = try T.encode(Image(bitmap)) { $0.allowsPalette = true }
    #expect(try T.decode(bytes).bitmap == bitmap)
    let depth = colors <= 2 ? 1 : colors <= 4 ? 2 : colors <= 16 ? 4 : 8
    #expect(try bytes.prefix(26)[24...25] == [UInt8(depth), colors <= 256 ? 3 : 6])
  }

  @Test func withoutLeaveThereIsNoPalette() throws {
    let bytes = try T.encode(Image(Bitmap(4, 4, .white)))
    #expect(try bytes.prefix(26)[25] == 6)
  }

  @Test func aLimitThatCompressionMeetsCostsNoPixel() throws {
    let image = try Image(Bitmap(64, 64, .rgba8) { x, y in [x, y, x ^ y, 255 - x] })
    let most = try T.encode(image) { $0.compressionLevel = 0 }.count
    let bytes = try T.encode(image) {
      $0.compressionLevel = 0
      $0.maxFileBytes = most - 1
    }
    #expect(try T.decode(bytes).bitmap == image.bitmap)
  }
}
