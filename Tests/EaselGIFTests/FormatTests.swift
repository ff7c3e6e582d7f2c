import EaselCore
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselGIF

/// What every coder promises of its format.
struct FormatTests {
  private static let contract = FormatContract(
    GIFCoder(),
    try! FormatDescription(GIFCoder.card, name: "GIF") {
      $0.largestSide = 65_535
      $0.keeps = [.alpha, .xmp, .anyProfile, .noGrayProfile]
      // Colours of each frame that a palette holds.
      let frames = try (0..<4).map { step in
        try Bitmap(24, 18, .rgba8) { x, y in
          (x + y + step) % 5 == 0 ? [0, 0, 0, 0] : [10 * x, 50 * step, y / 2 * 20, 255]
        }
      }
      $0.motion = .init(bitmaps: frames, most: (65_536, .milliseconds(655_350)), statesCount: false)
      var file = HandmadeGIF(screen: PixelSize(width: 5, height: 4))
      file.frames = [.init(rect: PixelRect(x: 1, y: 2, width: 2, height: 1), indices: [0, 1])]
      $0.beginnings = [.init(file.bytes, size: file.screen, count: 25)]
      let floods: [[[UInt8]]] = [
        // Many empty comments, and one comment of single letters.
        Array(repeating: [0x21, 0xFE, 0], count: 101),
        [[0x21, 0xFE] + (0..<101).flatMap { _ in [1, 65] as [UInt8] } + [0]],
        Array(repeating: [0x21, 0xF9, 4, 0, 5, 0, 0, 0], count: 101),
        Array(repeating: HandmadeGIF.application("NETSCAPE2.0", [1, 0, 0]), count: 101),
      ]
      $0.floods = floods.map { blocks in
        var flooded = file
        flooded.blocks = blocks
        return flooded.bytes
      }
      let plain = file
      $0.blocks = .init(bytesOfEach: 3) { count in
        var commented = plain
        commented.blocks = Array(repeating: [0x21, 0xFE, 0], count: count)
        return commented.bytes
      }
    })

  @Test(arguments: contract.rules) func theFormatKeepsWhatItPromises(_ rule: FormatContract.Rule) async {
    let violations = await Self.contract.check(rule)
    #expect(violations == [])
  }
}
