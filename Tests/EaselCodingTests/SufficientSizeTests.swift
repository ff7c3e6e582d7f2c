import EaselCore
import Testing

@testable import EaselCoding

struct SufficientSizeTests {
  private static let stored = PixelSize(width: 3000, height: 2000)
  private static let least = PixelSize(width: 300, height: 200)

  private func size(
    _ least: PixelSize = Self.least, of stored: PixelSize = Self.stored, _ orientation: ImageMetadata.Orientation = .up,
    bits: Int = 8, _ change: (inout DecodeOptions) -> Void = { _ in }
  ) -> PixelSize? {
    var options = DecodeOptions()
    options.leastSize = least
    change(&options)
    return options.sufficientSize(
      for: ImageHeader(format: .png, storedSize: stored, orientation: orientation, bitDepth: bits))
  }

  @Test(arguments: ImageMetadata.Orientation.allCases)
  func whatSufficesUprightIsTurnedAsThePictureIsStored(orientation: ImageMetadata.Orientation) {
    let upright = orientation.swapsSides ? Self.least.transposed : Self.least
    #expect(size(upright, orientation) == Self.least)
    #expect(size(Self.least, orientation) { $0.appliesOrientation = false } == Self.least)
  }

  @Test func otherOptionsGoFirst() {
    #expect(size { $0.leastSize = nil } == nil)
    #expect(size { $0.thumbnailSize = PixelSize(width: 10, height: 10) } == nil)
    #expect(size { $0.scaleDownLimitBytes = 1 << 20 } == nil)
  }

  @Test func sizesThatMakeNoSenseAreIgnored() {
    #expect(size(PixelSize(width: 0, height: 0)) == nil)
    #expect(size(PixelSize(width: 3001, height: 200)) == nil && size(PixelSize(width: 300, height: 2001)) == nil)
    #expect(size(Self.stored) == Self.stored)
  }

  @Test func aPictureOfAtMostSixteenMegabytesIsDecodedInFull() {
    let most = PixelSize(width: 2048, height: 2048)
    #expect(size(of: most) == nil)
    #expect(size(of: PixelSize(width: 2048, height: 2049)) == Self.least)
    #expect(size(of: most, bits: 16) == nil)
    #expect(size(of: most, bits: 16) { $0.keeps16Bits = true } == Self.least)
    #expect(size(of: most, bits: 8) { $0.keeps16Bits = true } == nil)
  }

  @Test func aCoderMayAskWhatSufficesForASmallPicture() {
    var options = DecodeOptions()
    options.leastSize = PixelSize(width: 2, height: 3)
    let header = ImageHeader(format: .png, storedSize: PixelSize(width: 30, height: 20), orientation: .left)
    #expect(options.leastStoredSize(for: header) == PixelSize(width: 3, height: 2))
    #expect(options.sufficientSize(for: header) == nil)
  }
}
