import EaselCore
import Foundation
import Testing

@testable import EaselTerminal

struct EncoderTests {
  private func bitmap(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> [UInt8]) throws -> Bitmap {
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .rgba8)
    let bytesPerRow = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          for (component, value) in pixel(x, y).enumerated() { bytes[y * bytesPerRow + x * 4 + component] = value }
        }
      }
    }
    return bitmap
  }

  @Test(arguments: [(1, 1), (5, 4), (7, 5), (80, 49)])
  func halfBlocksShowEveryPixel(_ width: Int, _ height: Int) throws {
    let picture = try bitmap(width, height) { x, y in
      [UInt8(x * 3), UInt8(y * 5), UInt8((x / 2 + y) % 3 * 100), (x + y * 2) % 5 == 0 ? 0 : 255]
    }
    let screen = ScreenReader(HalfBlockEncoder.encode(picture))
    #expect(screen.pixels.count == (height + 1) / 2 * 2)
    for y in 0..<height {
      for x in 0..<width {
        let wanted: [UInt8]? = (x + y * 2) % 5 == 0 ? nil : [UInt8(x * 3), UInt8(y * 5), UInt8((x / 2 + y) % 3 * 100)]
        #expect(screen.pixels[y][x] == wanted, "\(x),\(y)")
      }
    }
    if height % 2 == 1 { #expect(screen.pixels[height].allSatisfy { $0 == nil }) }
  }

  @Test func coloursAreNamedOnlyWhereTheyChange() throws {
    let text = String(decoding: HalfBlockEncoder.encode(try bitmap(50, 2) { _, _ in [1, 2, 3, 255] }), as: UTF8.self)
    #expect(text == "\u{1B}[38;2;1;2;3m\u{1B}[48;2;1;2;3m" + String(repeating: "▀", count: 50) + "\u{1B}[0m\n")
  }

  @Test(arguments: [(1, 1), (4, 6), (10, 13), (300, 7)])
  func fewColoursAreExactInSixels(_ width: Int, _ height: Int) throws {
    let colors: [[UInt8]] = [[0, 0, 0], [255, 255, 255], [255, 0, 0], [51, 102, 204]]
    let picture = try bitmap(width, height) { x, y in colors[(x / 3 + y) % 4] + [x % 7 == 6 ? 0 : 255] }
    let read = try #require(SixelReader(SixelEncoder.encode(picture)))
    #expect(read.width == width && read.height == height)
    for y in 0..<height {
      for x in 0..<width { #expect(read.pixels[y][x] == (x % 7 == 6 ? nil : colors[(x / 3 + y) % 4])) }
    }
  }

  @Test func manyColoursComeNearInSixels() throws {
    let picture = try bitmap(96, 96) { x, y in [UInt8(x * 2), UInt8(y * 2), UInt8(x + y), 255] }
    let bytes = SixelEncoder.encode(picture)
    let read = try #require(SixelReader(bytes))
    var error = 0
    for y in 0..<96 {
      for x in 0..<96 {
        let pixel = try #require(read.pixels[y][x])
        error += zip(pixel, [x * 2, y * 2, x + y]).reduce(0) { $0 + abs(Int($1.0) - $1.1) }
      }
    }
    #expect(error / (96 * 96 * 3) <= 6)
    let names = Set(
      String(decoding: bytes, as: UTF8.self).split(separator: "#").dropFirst().map { $0.prefix { $0.isNumber } })
    #expect(names.count > 100 && names.count <= 256)
  }

  @Test func aPictureWithoutAnyColourIsEmpty() throws {
    let read = try #require(SixelReader(SixelEncoder.encode(try bitmap(3, 3) { _, _ in [9, 9, 9, 0] })))
    #expect(read.pixels.allSatisfy { $0.allSatisfy { $0 == nil } })
  }

  @Test(arguments: [(1, 1), (31, 33), (100, 80)])
  func kittyGetsEveryByte(_ width: Int, _ height: Int) throws {
    let picture = try bitmap(width, height) { x, y in [UInt8(x), UInt8(y), 7, UInt8(255 - x)] }
    let text = String(decoding: KittyEncoder.encode(picture, columns: 5, rows: 3), as: UTF8.self)
    #expect(text.hasSuffix("\u{1B}\\\n\n\n"))
    let pieces = text.split(separator: "\u{1B}_G").map { $0.prefix { $0 != "\u{1B}" } }
    let data = pieces.map { $0.split(separator: ";")[1] }
    #expect(data.allSatisfy { $0.count <= 4096 } && data.dropLast().allSatisfy { $0.count % 4 == 0 })
    let pixels = picture.withUnsafeBytes { Data($0) }
    #expect(Data(base64Encoded: data.joined()) == pixels)
    #expect(pieces[0].hasPrefix("a=T,f=32,s=\(width),v=\(height),"))
    #expect(pieces[0].contains(",c=5,r=3,C=1,q=2,"))
    for (index, piece) in pieces.enumerated() {
      #expect(piece.prefix { $0 != ";" }.hasSuffix("m=\(index == pieces.count - 1 ? 0 : 1)"))
    }
  }

  @Test func shadesGrowWithTheLight() throws {
    let ramp = try bitmap(5, 2) { x, _ in [UInt8(x * 63), UInt8(x * 63), UInt8(x * 63), 255] }
    #expect(String(decoding: ShadeEncoder.encode(ramp), as: UTF8.self) == " ░▒▓█\n")
  }

  @Test func drawingsKnowTheirRows() throws {
    let picture = try bitmap(20, 33) { _, _ in [1, 2, 3, 255] }
    let window = TerminalWindow(columns: 80, rows: 24, cell: PixelSize(width: 10, height: 20))
    for (graphics, rows) in [(TerminalGraphics.kitty, 2), (.sixel, 2), (.blocks, 17), (.shades, 17)] {
      let drawing = try TerminalDrawing(picture, in: window, by: graphics)
      #expect(drawing.rows == rows && !drawing.bytes.isEmpty)
      #expect(String(decoding: drawing.rewinding, as: UTF8.self) == "\r\u{1B}[\(rows)A")
    }
  }

  @Test func anyLayoutIsDrawn() throws {
    let window = TerminalWindow()
    let picture = try bitmap(4, 4) { x, _ in [UInt8(x * 40), 5, 6, 255] }
    let plain = try TerminalDrawing(picture, in: window, by: .blocks).bytes
    let other = try TerminalDrawing(
      try picture.converted(to: PixelFormat(.bgra8, alpha: .premultiplied)), in: window, by: .blocks)
    #expect(other.bytes == plain)
  }
}
