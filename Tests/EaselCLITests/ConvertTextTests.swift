import EaselEverything
import Foundation
import Testing

/// Texts that `easel convert` draws.
struct ConvertTextTests {
  /// The rectangle around the pixels that differ from white.
  private func ink(_ options: [String]) throws -> PixelRect? {
    var white = try Bitmap(size: PixelSize(width: 200, height: 100), format: .opaqueRGBA8)
    white.withUnsafeMutableBytes { for index in $0.indices { $0[index] = 255 } }
    let data = try PNGCoder().encode(Image(white), as: .png, options: EncodeOptions(), work: WorkContext()).data()
    let result = try convert(data, options)
    let file = try #require(result.data, "\(result.outcome.errors)")
    let bitmap = try Pictures.decoded(file).bitmap
    var (left, top, right, bottom) = (Int.max, Int.max, -1, -1)
    for y in 0..<100 {
      for x in 0..<200 where bitmap.pixel(x, y) != [255, 255, 255, 255] {
        (left, top, right, bottom) = (min(left, x), min(top, y), max(right, x), max(bottom, y))
      }
    }
    return right < 0 ? nil : PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }

  private func drawn(_ options: String...) throws -> PixelRect {
    let ink = try ink(options)
    return try #require(ink)
  }

  @Test func aTextIsDrawnWithTheFontsOfTheSystem() throws {
    let unseen = try ink(["--text", "Hill"])
    #expect(unseen == nil)
    let plain = try drawn("--text", "Hill", "--text-color", "black")
    #expect(plain.x > 100 && plain.y > 50 && plain.height < 40)
    let large = try drawn("--text", "Hill", "--text-color", "black", "--dpr", "2")
    #expect(abs(large.height - 2 * plain.height) <= 3)
    let placed = try drawn(
      "--text", "Hill", "--text-color", "#ff0000", "--text-place", "north-west", "--text-offset", "20,10",
      "--text-size", "16")
    #expect((20...26).contains(placed.x) && placed.y >= 10 && placed.height < plain.height)
    let lines = try drawn(
      "--text", "one two three four", "--text-color", "black", "--text-width", "0.5", "--text-align", "center")
    #expect(lines.width <= 100 && lines.height > plain.height)
    let dressed = try drawn(
      "--text", "Hill", "--text-font", "serif", "--text-weight", "700", "--text-outline", "3,#0000ff", "--text-shadow",
      "4")
    #expect(dressed.width > plain.width && dressed.height > plain.height + 6)
  }
}
