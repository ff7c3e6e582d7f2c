import EaselCore
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselPNG

/// What every coder promises of its format.
struct FormatTests {
  private static let contract = FormatContract(
    PNGCoder(),
    try! FormatDescription(PNGCoder.card, name: "PNG") {
      $0.lossless = [EncodeOptions()] + [0, 1, 9].map { EncodeOptions(compressionLevel: $0) }
      $0.exactFormats += [.rgba16, PixelFormat(.rgba16, alpha: .opaque)]
      $0.keeps = [.alpha, .hiddenColors, .orientation, .exif, .xmp, .density, .anyProfile, .profile]
      $0.showsRows = true
      $0.motion = .init(most: (Int(UInt32.max), .seconds(65_535)), playsWhileArriving: true)
      let still = try HandmadePNG.still(3, 2)
      $0.beginnings = [.init(HandmadePNG.file(still), size: PixelSize(width: 3, height: 2), count: 33)]
      let chunks: [(kind: PNGChunk.Kind, content: [UInt8])] = [
        (PNGChunk.Kind("tEXt"), []), (.data, []), (.text, Array("XML:com.adobe.xmp\0".utf8)), (.exif, [1]),
        (.profile, []), (.frame, []),
      ]
      $0.floods = chunks.map { HandmadePNG.file([still[0]] + Array(repeating: $0, count: 101) + still[1...]) }
      $0.blocks = .init(bytesOfEach: 13) { count in
        let still = try HandmadePNG.still(4, 3)
        let texts = Array(repeating: (kind: PNGChunk.Kind("tEXt"), content: [7] as [UInt8]), count: count)
        return HandmadePNG.file(still.dropLast() + texts + still.suffix(1))
      }
    })

  @Test(arguments: contract.rules) func theFormatKeepsWhatItPromises(_ rule: FormatContract.Rule) async {
    let violations = await Self.contract.check(rule)
    #expect(violations == [])
  }

  @Test func theCoderKeepsItsContract() async throws {
    let samples = try Self.contract.samples(signature: [0..<8])
    let violations = await ImageCoderContract(PNGCoder(), samples: samples).check()
    #expect(violations == [])
  }

  @Test func theProgressiveCoderKeepsItsContract() async throws {
    let samples = try Self.contract.samples(signature: [0..<8])
    let violations = await ProgressiveCoderContract(PNGCoder(), samples: samples).check()
    #expect(violations == [])
  }
}
