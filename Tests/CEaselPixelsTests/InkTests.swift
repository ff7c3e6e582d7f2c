import CEaselPixels
import Testing

/// Inks without a profile.
struct InkTests {
  @Test(arguments: [false, true])
  func eachInkIsMultipliedWithBlackAndRoundedToTheNearestByte(isInverted: Bool) {
    func light(_ value: Int) -> Int { isInverted ? value : 255 - value }
    let wrong = (0..<65_536).filter { pair in
      let (ink, black) = (pair >> 8, pair & 255)
      var pixel = [UInt8(ink), 0, 255, UInt8(black)]
      easel_cmyk8_to_rgba8(isInverted, &pixel, 1)
      return pixel != [ink, 0, 255].map { UInt8((2 * light($0) * light(black) + 255) / 510) } + [255]
    }
    #expect(wrong.isEmpty)
  }

  @Test func pixelsGetTheAlphaOfOthers() {
    var pixels: [UInt8] = [1, 2, 3, 255, 4, 5, 6, 255]
    easel_set_alpha8(&pixels, [9, 8], 2)
    #expect(pixels == [1, 2, 3, 9, 4, 5, 6, 8])
  }
}
