import EaselCore
import Testing

struct BitmapPixelsTests {
  private func bitmap(_ format: PixelFormat, _ pixels: [[Int]], bytesPerRow: Int? = nil) throws -> Bitmap {
    let size = PixelSize(width: 2, height: pixels.count / 2)
    var bitmap = try Bitmap(size: size, format: format, bytesPerRow: bytesPerRow)
    let stride = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for (index, pixel) in pixels.enumerated() {
        let start = index / 2 * stride + index % 2 * format.bytesPerPixel
        for (place, value) in pixel.enumerated() {
          if format.layout == .rgba16 {
            bytes.storeBytes(of: UInt16(value), toByteOffset: start + 2 * place, as: UInt16.self)
          } else {
            bytes[start + place] = UInt8(value)
          }
        }
      }
    }
    return bitmap
  }

  @Test func everyLayoutGivesStraightColoursOfEightBits() throws {
    let color = PixelColor(red: 200, green: 100, blue: 50, alpha: 128)
    #expect(try bitmap(.rgba8, [[200, 100, 50, 128], [0, 0, 0, 0]]).pixel(x: 0, y: 0) == color)
    let swapped = PixelFormat(.bgra8, alpha: .straight)
    #expect(try bitmap(swapped, [[50, 100, 200, 128], [0, 0, 0, 0]]).pixel(x: 0, y: 0) == color)
    let deep = [200, 100, 50, 128].map { $0 * 257 }
    #expect(try bitmap(.rgba16, [deep, deep]).pixel(x: 1, y: 0) == color)
    let mixed = PixelFormat(.rgba8, alpha: .premultiplied)
    #expect(
      try bitmap(mixed, [[100, 50, 25, 128], [0, 0, 0, 0]]).pixel(x: 0, y: 0)
        == PixelColor(red: 199, green: 100, blue: 50, alpha: 128))
    #expect(try bitmap(mixed, [[9, 9, 9, 0], [0, 0, 0, 0]]).pixel(x: 0, y: 0) == .clear)
    #expect(try bitmap(mixed, [[255, 9, 9, 1], [0, 0, 0, 0]]).pixel(x: 0, y: 0)?.red == 255)
    let grey = PixelColor(red: 7, green: 7, blue: 7)
    #expect(try bitmap(.gray8, [[7], [8]]).pixel(x: 0, y: 0) == grey)
    #expect(try bitmap(.opaqueRGBA8, [[1, 2, 3, 255], [0, 0, 0, 255]]).pixel(x: 0, y: 0)?.alpha == 255)
  }

  @Test(arguments: [(-1, 0), (2, 0), (0, -1), (0, 2), (.max, 0), (0, .min)])
  func outsideOfThePictureThereIsNoPixel(x: Int, y: Int) throws {
    #expect(try bitmap(.gray8, [[1], [2], [3], [4]]).pixel(x: x, y: y) == nil)
  }

  @Test func aRectangleIsReadRowAfterRow() throws {
    let bitmap = try bitmap(.gray8, [[1], [2], [3], [4], [5], [6]], bytesPerRow: 7)
    func reds(_ rect: PixelRect) -> [UInt8] { bitmap.pixels(in: rect).map(\.red) }
    #expect(reds(PixelRect(x: 0, y: 0, width: 2, height: 3)) == [1, 2, 3, 4, 5, 6])
    #expect(reds(PixelRect(x: 1, y: 1, width: 1, height: 2)) == [4, 6])
    #expect(reds(PixelRect(x: -5, y: 2, width: 6, height: 9)) == [5])
    #expect(reds(PixelRect(x: 5, y: 0, width: 1, height: 1)) == [])
    #expect(reds(PixelRect(x: 0, y: 0, width: .max, height: .max)).count == 6)
  }
}
