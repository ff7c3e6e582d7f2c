import EaselCore
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselWebP

/// What every coder promises of its format.
struct FormatTests {
  private typealias T = WebPTesting

  private static let contract = FormatContract(
    WebPCoder(),
    try! FormatDescription(WebPCoder.card, name: "WebP") {
      $0.lossless = [2, 0, 6, 9].map { EncodeOptions(lossless: true, compressionLevel: $0) }
      $0.sameColors.append(.rgba16)
      $0.largestSide = 16_383
      $0.keeps = [.alpha, .hiddenColors, .orientation, .exif, .xmp, .anyProfile, .profile, .noGrayProfile]
      $0.decibels = [(0.4, 30), (0.8, 36), (1, 40)]
      $0.thumbnailDecibels = 40
      $0.large = [true, false].map { EncodeOptions(lossless: $0, compressionLevel: 0) }
      $0.showsRows = true
      $0.motion = .init(most: (65_535, .milliseconds(0xFF_FFFF)), playsWhileArriving: true)
      $0.damagedWays = [EncodeOptions(), EncodeOptions(lossless: true)]
      let size = PixelSize(width: 30, height: 20)
      let files = try [true, false].map { isLossless in
        try T.encode(Image(.waves(30, 20))) { $0.lossless = isLossless }.array
      }
      $0.beginnings = files.map { .init($0, size: size, count: 44, least: 20, isShorterThanHeader: false) }
      $0.beginnings.append(
        .init(T.riff(T.extended(7, 5, .animation)), size: PixelSize(width: 7, height: 5), count: 30, least: 20))
      let pixels = try T.pixels(Bitmap(8, 8, .white))
      for name in ["JUNK", "EXIF", "ALPH", "ANIM"] as [StaticString] {
        let flood = (0..<101).flatMap { _ in T.chunk(name, []) }
        $0.floods += [
          T.riff(T.extended(8, 8, .exif) + flood + pixels),
          T.riff(T.extended(8, 8, [.animation, .exif]) + T.animation() + T.frame(flood + pixels)),
        ]
      }
      $0.blocks = .init(bytesOfEach: 10) { count in
        let notes = (0..<count).flatMap { _ in T.chunk("note", [7]) }
        return try T.riff(T.extended(4, 4, []) + T.pixels(Bitmap(4, 4, .white)) + notes)
      }
    })

  @Test(arguments: contract.rules) func theFormatKeepsWhatItPromises(_ rule: FormatContract.Rule) async {
    let violations = await Self.contract.check(rule)
    #expect(violations == [])
  }

  /// The files that the coder writes, and a moving one with loss whose frames lie on one another.
  private static func samples() throws -> [ImageSample] {
    let movingLossy = T.riff(
      T.extended(20, 16, [.animation, .alpha]) + T.animation(loops: 1)
        + (try T.frame(T.pixels(T.softAlpha(20, 16), isLossless: false), clears: true))
        + (try T.frame(T.pixels(T.softAlpha(10, 9), isLossless: false), x: 4, y: 2))
        + (try T.frame(T.pixels(Bitmap.waves(8, 8), isLossless: false), x: 12, y: 8)))
    return try contract.samples() + [ImageSample("moving and lossy", bytes: movingLossy)]
  }

  @Test func theCoderKeepsItsContract() async throws {
    let violations = await ImageCoderContract(WebPCoder(), samples: try Self.samples()).check()
    #expect(violations == [])
  }

  @Test func theProgressiveCoderKeepsItsContract() async throws {
    let violations = await ProgressiveCoderContract(WebPCoder(), samples: try Self.samples()).check()
    #expect(violations == [])
  }
}
