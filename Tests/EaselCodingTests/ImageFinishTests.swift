import CEaselColorFixtures
import EaselColor
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselCoding

struct ImageFinishTests {
  private func header(_ size: PixelSize, _ orientation: ImageMetadata.Orientation = .up) -> ImageHeader {
    ImageHeader(format: .png, storedSize: size, orientation: orientation)
  }

  private func profile(gray: Bool) -> Data {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count =
      gray
      ? easel_make_icc_profile(nil, 1.8, &bytes, bytes.count)
      : easel_make_icc_profile([0.680, 0.320, 0.265, 0.690, 0.150, 0.060], 2.2, &bytes, bytes.count)
    return Data(bytes[..<count])
  }

  @Test(arguments: ImageMetadata.Orientation.allCases)
  func eachOrientationIsAppliedOnceOrKept(orientation: ImageMetadata.Orientation) throws {
    let stored = try Bitmap.noise(7, 5, .rgba8)
    var options = DecodeOptions()
    let applied = ImageFinish(header(stored.size, orientation), profile: nil, isGray: false, options: options)
    #expect(try applied(stored, work: WorkContext()) == stored.oriented(orientation, work: WorkContext()))
    #expect(applied.keptOrientation == .up)
    #expect(applied.storedTarget == stored.size)
    #expect(applied.finalSize == (orientation.swapsSides ? stored.size.transposed : stored.size))
    options.appliesOrientation = false
    let kept = ImageFinish(header(stored.size, orientation), profile: nil, isGray: false, options: options)
    #expect(try kept(stored, work: WorkContext()) == stored)
    #expect(kept.keptOrientation == orientation)
    #expect(kept.finalSize == stored.size)
  }

  @Test(arguments: [true, false])
  func theBoxIsMeantForTheUprightPicture(applies: Bool) throws {
    let stored = try Bitmap.noise(80, 40, .rgba8)
    var options = DecodeOptions()
    options.appliesOrientation = applies
    options.thumbnailSize = PixelSize(width: 10, height: 40)
    let finish = ImageFinish(header(stored.size, .left), profile: nil, isGray: false, options: options)
    #expect(finish.storedTarget == PixelSize(width: 20, height: 10))
    let finished = try finish(stored, work: WorkContext())
    #expect(finished.size == (applies ? PixelSize(width: 10, height: 20) : PixelSize(width: 20, height: 10)))
  }

  @Test func picturesOfHighRangeAreReadWithSixteenBits() {
    func readsWide(_ transfer: Int, _ bits: Int, _ options: DecodeOptions = DecodeOptions()) -> Bool {
      var header = header(PixelSize(width: 4, height: 4))
      header.bitDepth = bits
      let color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: transfer))
      return ImageFinish(header, profile: nil, color: color, isGray: false, options: options).readsWide
    }
    #expect(readsWide(16, 10) && readsWide(18, 12) && readsWide(16, 16))
    #expect(readsWide(16, 10, DecodeOptions(keepsHighRange: true)))
    #expect(!readsWide(16, 8) && !readsWide(13, 10) && !readsWide(16, 10, DecodeOptions(convertsColor: false)))
  }

  @Test func coloursAreConvertedOrKeepTheirProfile() throws {
    let stored = try Bitmap.noise(9, 9, .rgba8)
    let wide = profile(gray: false)
    var options = DecodeOptions()
    let converting = ImageFinish(header(stored.size), profile: wide, isGray: false, options: options)
    #expect(try converting(stored, work: WorkContext()) == stored.converted(from: .icc(wide)))
    #expect(converting.keptProfile == nil)
    options.convertsColor = false
    let keeping = ImageFinish(header(stored.size), profile: wide, isGray: false, options: options)
    #expect(try keeping(stored, work: WorkContext()) == stored)
    #expect(keeping.keptProfile == wide)
  }

  @Test(arguments: [PixelFormat.rgba8, .rgba16])
  func greyFollowsItsOwnKindOfProfile(format: PixelFormat) throws {
    let top = format.layout == .rgba16 ? 65_535 : 255
    let stored = try Bitmap(256, 1, format) { x, _ in [x * top / 255, x * top / 255, x * top / 255, top - x] }
    let curve = profile(gray: true)
    let options = DecodeOptions(keeps16Bits: true)
    let finish = ImageFinish(header(stored.size), profile: curve, isGray: true, options: options)
    let finished = try finish(stored, work: WorkContext())
    let levels = (0..<256).map { UInt8($0) }
    var expected = [UInt8](repeating: 0, count: 256 * 3)
    let transform = try ColorTransform(from: .icc(curve), layout: .gray8, layout: .rgb8)
    levels.withUnsafeBytes { levels in expected.withUnsafeMutableBytes { transform.convert(levels, into: $0) } }
    #expect(expected[128 * 3] != 128)
    for x in 0..<256 {
      let components = finished.components(x, 0)
      #expect(abs(components[0] * 255 / top - Int(expected[x * 3])) <= 1)
      #expect(components[3] == top - x)
    }
  }

  @Test(arguments: [true, false])
  func sixteenBitsReadForTheConversionStayOnlyIfTheyAreAskedFor(keeps: Bool) throws {
    let stored = try Bitmap.noise(9, 5, .rgba16)
    let finish = ImageFinish(
      header(stored.size, .left), profile: profile(gray: false), isGray: false,
      options: DecodeOptions(keeps16Bits: keeps))
    #expect(try finish(stored, work: WorkContext()).format == (keeps ? .rgba16 : .rgba8))
  }

  @Test(arguments: [true, false])
  func aProfileOfAnotherKindLeavesTheColours(isGray: Bool) throws {
    let stored = try Bitmap.noise(9, 9, .rgba8)
    let finish = ImageFinish(
      header(stored.size), profile: profile(gray: !isGray), isGray: isGray, options: DecodeOptions())
    #expect(try finish(stored, work: WorkContext()) == stored)
  }

  @Test(arguments: [
    (Fidelity.fast, 100, 100), (.faithful, 100, 500), (.faithful, 200, 1000), (.faithful, 202, 627),
    (.faithful, 402, 1206),
    (.faithful, 700, 2100), (.faithful, 702, 1404), (.faithful, 1500, 3000), (.faithful, 1700, 4000),
    (.faithful, 4000, 4000), (.exact, 100, 4000), (.exact, 4000, 4000),
  ])
  func theSizeThatSufficesFollowsTheFidelity(fidelity: Fidelity, side: Int, sufficient: Int) {
    for orientation in [ImageMetadata.Orientation.up, .right] {
      let stored = PixelSize(width: 4000, height: 2000)
      let header = ImageHeader(format: .png, storedSize: stored, orientation: orientation)
      var options = DecodeOptions(thumbnailSize: PixelSize(width: side, height: side), fidelity: fidelity)
      var finish = ImageFinish(header, profile: nil, isGray: false, options: options)
      #expect(finish.sufficientSize.width == sufficient && finish.sufficientSize.height >= sufficient / 2)
      #expect(finish.averagesLight == (fidelity != .fast))
      // Sizes that the options only allow are not made with care, and have no name for it in their keys.
      (options.thumbnailSize, options.scaleDownLimitBytes) = (nil, 40_000)
      finish = ImageFinish(header, profile: nil, isGray: false, options: options)
      #expect(!finish.averagesLight && finish.sufficientSize == finish.storedTarget)
    }
  }

  @Test(arguments: [(13, true), (1, true), (8, false), (16, false), (18, false)])
  func onlyNumbersOnTheUsualCurveBecomeLight(transfer: Int, averagesLight: Bool) {
    let color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: transfer))
    let finish = ImageFinish(
      header(PixelSize(width: 900, height: 900)), profile: nil, color: color, isGray: false,
      options: DecodeOptions(thumbnailSize: PixelSize(width: 9, height: 9)))
    #expect(finish.averagesLight == averagesLight && finish.sufficientSize == PixelSize(width: 45, height: 45))
  }
}
