import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers
import Testing

struct PaletteTests {
  private typealias Pictures = PlaceholderPictures

  private static let red = PixelColor(red: 220, green: 20, blue: 40)
  private static let blue = PixelColor(red: 20, green: 40, blue: 200)

  private func near(_ color: PixelColor, _ other: PixelColor, within distance: Int) -> Bool {
    let pairs = [(color.red, other.red), (color.green, other.green), (color.blue, other.blue)]
    return pairs.allSatisfy { abs(Int($0.0) - Int($0.1)) <= distance }
  }

  @Test func fewColoursAreFoundExactly() throws {
    // 50 % white, 30 % red, 20 % blue.
    let flag = try Bitmap(50, 20, .opaqueRGBA8) { x, _ in
      x < 25 ? [255, 255, 255, 255] : x < 40 ? [220, 20, 40, 255] : [20, 40, 200, 255]
    }
    for count in [3, 4, 256] {
      let entries = try Palette(of: Image(flag), count: count).entries
      #expect(entries.map(\.color) == [.white, Self.red, Self.blue])
      #expect(zip(entries, [0.5, 0.3, 0.2]).allSatisfy { abs($0.share - $1) < 1e-9 })
    }
    let two = try Palette(of: Image(flag), count: 2).entries
    #expect(two.count == 2 && two.contains { $0.color == .white && $0.share == 0.5 })
    let dominant = try #require(try Palette.dominantColor(of: Image(flag)))
    #expect(dominant.color == .white && dominant.share == 0.5)
  }

  @Test func groupsOfShadesAreFound() throws {
    var random = SeededRandom(seed: 3)
    func shade(_ level: Int) -> Int { level + Int.random(in: -6...6, using: &random) }
    let bitmap = try Bitmap(80, 60, .opaqueRGBA8) { x, _ in
      x < 40
        ? [shade(200), shade(40), shade(40), 255]
        : x < 64
          ? [shade(40), shade(180), shade(60), 255]
          : [shade(60), shade(60), shade(200), 255]
    }
    let entries = try Palette(of: Image(bitmap), count: 3).entries
    let expected = [(200, 40, 40, 0.5), (40, 180, 60, 0.3), (60, 60, 200, 0.2)]
    for (entry, (red, green, blue, share)) in zip(entries, expected) {
      let color = PixelColor(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
      #expect(near(entry.color, color, within: 3), "\(entry)")
      #expect(abs(entry.share - share) < 1e-9)
    }
  }

  @Test func shadesOfTheDominantColourCountTogether() throws {
    var random = SeededRandom(seed: 4)
    func shade(_ level: Int) -> Int { level + Int.random(in: -25...25, using: &random) }
    // Each shade of red is rare, and white is one colour.
    let bitmap = try Bitmap(60, 60, .opaqueRGBA8) { x, _ in
      x < 36 ? [shade(180), shade(50), shade(50), 255] : [255, 255, 255, 255]
    }
    let dominant = try #require(try Palette.dominantColor(of: Image(bitmap)))
    #expect(near(dominant.color, PixelColor(red: 180, green: 50, blue: 50), within: 10), "\(dominant)")
    #expect(dominant.share > 0.5 && dominant.share <= 0.6 + 1e-9)
  }

  @Test func transparentPixelsDoNotCount() throws {
    let bitmap = try Bitmap(40, 10, .rgba8) { x, _ in
      x < 30 ? [0, 255, 0, 0] : x < 35 ? [220, 20, 40, 255] : [20, 40, 200, 51]
    }
    let entries = try Palette(of: Image(bitmap), count: 5).entries
    #expect(entries.map(\.color) == [Self.red, Self.blue])
    #expect(abs(entries[0].share - 5.0 / 6) < 1e-9)
    #expect(try Palette(of: Image(Bitmap(9, 9, .clear)), count: 5).entries.isEmpty)
    #expect(try Palette.dominantColor(of: Image(Bitmap(9, 9, .clear))) == nil)
  }

  @Test(arguments: [1, 2, 7, 16, 255, 256])
  func countsAndShares(count: Int) throws {
    let image = Image(try Bitmap.noise(70, 50, .rgba8))
    let palette = try Palette(of: image, count: count)
    #expect(palette.entries.count <= count && palette.entries.count > count * 9 / 10)
    #expect(Set(palette.entries.map(\.color)).count == palette.entries.count)
    #expect(abs(palette.entries.reduce(0) { $0 + $1.share } - 1) < 1e-9)
    #expect(zip(palette.entries, palette.entries.dropFirst()).allSatisfy { $0.share >= $1.share })
    #expect(try Palette(of: image, count: count) == palette)
  }

  @Test func moreColoursRepresentThePictureBetter() throws {
    let bitmap = try Bitmap.waves(90, 70)
    let errors = try [2, 8, 32, 128].map { count in
      let colors = try Palette(of: Image(bitmap), count: count).entries.map(\.color)
      return bitmap.pixels(in: PixelRect(covering: bitmap.size)).reduce(0) { sum, pixel in
        sum
          + colors.map { color in
            let (red, green) = (Int(color.red) - Int(pixel.red), Int(color.green) - Int(pixel.green))
            let blue = Int(color.blue) - Int(pixel.blue)
            return red * red + green * green + blue * blue
          }.min()!
      }
    }
    #expect(zip(errors, errors.dropFirst()).allSatisfy { $0 > 2 * $1 }, "\(errors)")
  }

  @Test(arguments: PlaceholderPictures.opaqueFormats + PlaceholderPictures.alphaFormats)
  func formatsAgree(format: PixelFormat) throws {
    let flag = try Bitmap(50, 20, .opaqueRGBA8) { x, _ in x < 30 ? [220, 20, 40, 255] : [20, 40, 200, 255] }
    #expect(try Palette(of: Image(flag.converted(to: format)), count: 4).entries.map(\.color) == [Self.red, Self.blue])
    let gray = try Bitmap(9, 9, .gray8) { _, _ in [77] }
    #expect(
      try Palette(of: Image(gray), count: 4).entries.map(\.color) == [PixelColor(red: 77, green: 77, blue: 77)])
  }

  @Test(arguments: [0, -1, 257, Int.max, Int.min])
  func badCountsAreErrors(count: Int) throws {
    let image = Image(try Bitmap(4, 4, .white))
    #expect(Pictures.code { () throws(ImageError) in _ = try Palette(of: image, count: count) } == .transformFailed)
  }
}
