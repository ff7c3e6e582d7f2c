import EaselCore
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselJPEG

/// What every coder promises of its format.
struct FormatTests {
  private typealias T = Pictures

  private static let contract = FormatContract(
    JPEGCoder(),
    try! FormatDescription(JPEGCoder.card, name: "JPEG") {
      $0.largestSide = 65_500
      $0.keeps = [.orientation, .exif, .xmp, .density, .anyProfile]
      $0.profileBytes = [100, 65_519, 65_520, 200_000]
      $0.decibels = [(0.5, 30), (0.8, 33), (1, 38)]
      $0.thumbnailDecibels = 33
      $0.damagedWays = [EncodeOptions(), EncodeOptions(progressive: true)]
      let file = try T.file(Image(.waves(30, 20))).array
      let start = file.indices.dropLast().first { file[$0] == 0xFF && file[$0 + 1] == 0xC0 }!
      let end = start + 2 + Int(file[start + 2]) << 8 + Int(file[start + 3])
      $0.beginnings = [.init(file, size: PixelSize(width: 30, height: 20), count: end)]
      let floods: [[UInt8]] = [
        T.segment(0xFE, []), T.segment(0xE5, []), [0xFF, 0xD0], [0xFF, 0x01], T.segment(0xE1, JPEGScanner.exifMarker),
        T.segment(0xE2, JPEGProfilePieces.marker + [1, 1]),
      ]
      let plain = try T.file(Image(T.corners(16, 8)))
      $0.floods = try floods.map { try T.inserting(Array(repeating: $0, count: 101), into: plain).array }
      $0.blocks = .init(bytesOfEach: 4) { count in
        try T.inserting(Array(repeating: T.segment(0xFE, []), count: count), into: plain).array
      }
    })

  @Test(arguments: contract.rules) func theFormatKeepsWhatItPromises(_ rule: FormatContract.Rule) async {
    let violations = await Self.contract.check(rule)
    #expect(violations == [])
  }

  @Test func theCoderKeepsItsContract() async throws {
    let samples = try Self.contract.samples(signature: [0..<3])
    let violations = await ImageCoderContract(JPEGCoder(), samples: samples).check()
    #expect(violations == [])
  }

  @Test func theProgressiveCoderKeepsItsContract() async throws {
    let samples = try Self.contract.samples(signature: [0..<3])
    let violations = await ProgressiveCoderContract(JPEGCoder(), samples: samples).check()
    #expect(violations == [])
  }
}
