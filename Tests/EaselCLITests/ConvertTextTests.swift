import EaselEverything
import Foundation
import Testing

/// Texts that `easel convert` draws.
struct ConvertTextTests {
  /// The rectangle around the pixels that differ from white.
  private func ink(_ options: String...) throws -> PixelRect? {
    var white = try Bitmap(size: PixelSize(width: 200, height: 100), format: .opaqueRGBA8)
    white.withUnsafeMutableBytes { for index in $0.indices { $0[index] = 255 } }
    let data = try PNGCoder().encode(Image(white), as: .png, options: EncodeOptions(), work: WorkContext()).data()
    let result = try convert(data, options)
    let bitmap = try Pictures.decoded(try #require(result.data, "\(result.outcome.errors)")).bitmap
    let places = (0..<100).flatMap { y in
      (0..<200).filter { bitmap.pixel($0, y) != [255, 255, 255, 255] }.map { ($0, y) }
    }
    guard let left = places.map(\.0).min(), let right = places.map(\.0).max(), let top = places.map(\.1).min(),
      let bottom = places.map(\.1).max()
    else { return nil }
    return PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }

  @Test func aTextIsDrawnWithTheFontsOfTheSystem() throws {
    #expect(try ink("--text", "Hill") == nil)
    let plain = try #require(ink("--text", "Hill", "--text-color", "black"))
    #expect(plain.x > 100 && plain.y > 50 && plain.height < 40)
    let large = try #require(ink("--text", "Hill", "--text-color", "black", "--dpr", "2"))
    #expect(abs(large.height - 2 * plain.height) <= 3)
    let placed = try #require(
      ink(
        "--text", "Hill", "--text-color", "#ff0000", "--text-place", "north-west", "--text-offset", "20,10",
        "--text-size", "16"))
    #expect((20...26).contains(placed.x) && placed.y >= 10 && placed.height < plain.height)
    let lines = try #require(
      ink("--text", "one two three four", "--text-color", "black", "--text-width", "0.5", "--text-align", "center"))
    #expect(lines.width <= 100 && lines.height > plain.height)
    let dressed = try #require(
      ink(
        "--text", "Hill", "--text-font", "serif", "--text-weight", "700", "--text-outline", "3,#0000ff",
        "--text-shadow",
        "4"))
    #expect(dressed.width > plain.width && dressed.height > plain.height + 6)
  }
}
