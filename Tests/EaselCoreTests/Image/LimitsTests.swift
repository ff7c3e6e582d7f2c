import EaselCore
import Testing

struct LimitsTests {
  private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

  private func message(_ check: () throws -> Void, code: ImageError.Code = .limitExceeded) -> String? {
    do {
      try check()
      return nil
    } catch let error as ImageError {
      return error.code == code ? error.message : "another code: \(error)"
    } catch {
      return "no ImageError: \(error)"
    }
  }

  @Test func theDefaultsAreThosePromised() {
    let limits = Limits()
    #expect(limits.downloadBytes == 104_857_600)
    #expect(limits.side == 65_535)
    #expect(limits.framePixels == 100_000_000)
    #expect(limits.progressiveJPEGPixels == 40_000_000)
    #expect(limits.frames == 10_000)
    #expect(limits.totalPixels == 1_000_000_000)
    #expect(limits.decodeTime == .seconds(30))
    #expect(limits.metadataBytes == 16_777_216)
    #expect(limits.blocks == 1_000_000)
    #expect(limits.resultSide == 16_384)
    #expect(limits.resultPixels == 100_000_000)
    #expect(limits.resultBytes == 52_428_800)
    #expect(Limits(resultSide: 7, resultPixels: 8, resultBytes: 9) != limits)
  }

  @Test func aSideOverTheLimitIsNamedWithTheWayOut() {
    #expect(
      message { try Limits().check(frame: size(65_536, 65_536), claimedBy: "PNG: IHDR") }
        == "PNG: IHDR claims 65536x65536, over the limit of 65535 pixels a side. Raise Limits.side to allow it.")
    #expect(message { try Limits().check(frame: size(1, 65_536), claimedBy: "x") } != nil)
    #expect(message { try Limits().check(frame: size(65_535, 1), claimedBy: "x") } == nil)
    #expect(message { try Limits().check(frame: size(.max, .max), claimedBy: "x") } != nil)
  }

  @Test func tooManyPixelsAreNamedWithTheWayOut() {
    #expect(
      message { try Limits().check(frame: size(10_001, 10_000), claimedBy: "GIF: screen") }
        == "GIF: screen claims 10001x10000, over the limit of 100 megapixels a frame. "
        + "Raise Limits.framePixels to allow it.")
    #expect(message { try Limits().check(frame: size(10_000, 10_000), claimedBy: "x") } == nil)
    var limits = Limits()
    limits.framePixels = 99
    #expect(
      message { try limits.check(frame: size(10, 10), claimedBy: "x") }
        == "x claims 10x10, over the limit of 99 pixels a frame. Raise Limits.framePixels to allow it.")
    limits.side = .max
    #expect(message { try limits.check(frame: size(.max, .max), claimedBy: "x") } != nil, "the area overflows")
  }

  @Test func aSizeWithoutPixelsIsBadData() {
    #expect(
      message({ try Limits().check(frame: size(0, 7), claimedBy: "PNG: IHDR") }, code: .badImageData)
        == "PNG: IHDR claims 0x7, which has no pixels.")
    #expect(message({ try Limits().check(frame: size(-1, -1), claimedBy: "x") }, code: .badImageData) != nil)
  }

  @Test func aResultOverTheLimitIsNamedWithTheWayOut() {
    #expect(
      message { try Limits().check(result: size(16_385, 2), from: size(4, 2), madeBy: "Pad(1)") }
        == "Pad(1) makes 16385x2, over the limit of 16384 pixels a side of a result. "
        + "Raise Limits.resultSide to allow it.")
    #expect(message { try Limits().check(result: size(2, 16_385), madeBy: "x") } != nil)
    #expect(message { try Limits().check(result: size(16_384, 6_000), madeBy: "x") } == nil)
    var limits = Limits(resultPixels: 99)
    #expect(
      message { try limits.check(result: size(10, 10), madeBy: "x") }
        == "x makes 10x10, over the limit of 99 pixels a result. Raise Limits.resultPixels to allow it.")
    #expect(message { try limits.check(result: size(9, 11), madeBy: "x") } == nil)
    limits = Limits(side: .max, framePixels: .max, resultSide: .max)
    #expect(message { try limits.check(result: size(.max, .max), madeBy: "x") } != nil, "the area overflows")
  }

  @Test func aPictureThatIsLargerAlreadyMayKeepItsSizeOrBeTurned() {
    let (wide, many) = (size(20_000, 10), Limits(resultPixels: 99))
    #expect(message { try Limits().check(result: wide, from: wide, madeBy: "x") } == nil)
    #expect(message { try Limits().check(result: size(10, 20_000), from: wide, madeBy: "x") } == nil)
    #expect(message { try many.check(result: wide, from: wide, madeBy: "x") }?.contains("Limits.") == nil)
    for changed in [size(20_001, 10), size(20_000, 11), size(20_000, 9), size(17_000, 10)] {
      #expect(message { try Limits().check(result: changed, from: wide, madeBy: "x") }?.contains("resultSide") == true)
    }
    #expect(message { try Limits().check(result: size(16_384, 10), from: wide, madeBy: "x") } == nil)
  }

  @Test func aResultKeepsTheLimitsOfAFrameToo() {
    let limits = Limits(side: 50, framePixels: 100)
    let same = size(60, 1)
    #expect(message { try limits.check(result: same, from: same, madeBy: "x") }?.contains("Limits.side") == true)
    #expect(message { try limits.check(result: size(50, 3), madeBy: "x") }?.contains("framePixels") == true)
  }

  @Test(arguments: [0, -1, Int.min]) func aResultWithoutPixelsIsAnError(side: Int) {
    let text = message({ try Limits().check(result: size(side, 7), madeBy: "Pad(1)") }, code: .transformFailed)
    #expect(text == "Pad(1) makes \(side)x7, which has no pixels.")
    #expect(message({ try Limits().check(result: size(7, side), madeBy: "x") }, code: .transformFailed) != nil)
  }

  @Test func tooManyFramesAndTooManyPixelsOverAllAreNamed() {
    #expect(
      message { try Limits().check(frameCount: 10_001, of: size(1, 1), claimedBy: "APNG: acTL") }
        == "APNG: acTL claims 10001 frames, over the limit of 10000 frames. Raise Limits.frames to allow it.")
    #expect(
      message { try Limits().check(frameCount: 1001, of: size(1000, 1000), claimedBy: "APNG: acTL") }
        == "APNG: acTL claims 1001 frames of 1000x1000, over the limit of 1000 megapixels in all. "
        + "Raise Limits.totalPixels to allow it.")
    #expect(message { try Limits().check(frameCount: 1000, of: size(1000, 1000), claimedBy: "x") } == nil)
    #expect(message { try Limits().check(frameCount: 10_000, of: size(1, 1), claimedBy: "x") } == nil)
    #expect(message { try Limits().check(frameCount: 3, of: size(.max, .max), claimedBy: "x") } != nil)
    #expect(message { try Limits().check(frameCount: .max, of: size(.max, 2), claimedBy: "x") } != nil)
  }

  @Test func tooMuchMetadataIsNamed() {
    #expect(
      message { try Limits().check(metadataBytes: 16_777_217, claimedBy: "PNG: iCCP") }
        == "PNG: iCCP claims 16777217 bytes of metadata, over the limit of 16777216 bytes. "
        + "Raise Limits.metadataBytes to allow it.")
    #expect(message { try Limits().check(metadataBytes: 16_777_216, claimedBy: "x") } == nil)
  }

  @Test func tooManyBlocksAreNamed() {
    #expect(
      message { try Limits().check(blockCount: 1_000_001, claimedBy: "GIF: the file") }
        == "GIF: the file has more than 1000000 blocks, which is the limit. Raise Limits.blocks to allow it.")
    #expect(message { try Limits().check(blockCount: 1_000_000, claimedBy: "x") } == nil)
  }
}
