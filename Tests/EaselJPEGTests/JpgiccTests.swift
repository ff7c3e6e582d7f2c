import EaselCore
import EaselPixels
import EaselTestCorpus
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselJPEG

/// Compares whole files with the program of Little CMS that converts JPEGs.
///
/// The program writes a JPEG again, so the pictures are uniform within the blocks of JPEG.
@Suite(.tags(.alone), .enabled(if: Jpgicc.isThere, "There is no jpgicc here to compare with."))
struct JpgiccTests {
  private func patches(_ format: PixelFormat, seed: UInt64) throws -> Bitmap {
    var random = SeededRandom(seed: seed)
    let colors = (0..<64).map { _ in (0..<3).map { _ in Int.random(in: 0...255, using: &random) } }
    return try Bitmap(128, 128, format) { x, y in
      let color = colors[x / 16 + y / 16 * 8]
      return format.layout == .gray8 ? [color[0]] : color + [255]
    }
  }

  @Test(arguments: [Profiles.displayP3, Profiles.adobeRGB, Profiles.gray], [1, 2, 3] as [UInt64])
  func coloursAndGreysAreThoseOfTheProgram(profile: Data, seed: UInt64) throws {
    let isGray = profile == Profiles.gray
    var image = try Image(patches(isGray ? .gray8 : .opaqueRGBA8, seed: seed))
    image.metadata.iccProfile = profile
    for progressive in [false, true] {
      let file = try Pictures.file(image) {
        $0.quality = 1
        $0.chromaSubsampling = .full
        $0.progressive = progressive
      }
      let expected = try #require(try Jpgicc.convert(file))
      let shown = try Pictures.decode(file).bitmap
      #expect(shown.largestDifference(from: expected) <= 2)
      #expect(try Pictures.decode(file) { $0.convertsColor = false }.bitmap.largestDifference(from: expected) > 10)
    }
  }

  @Test(
    .enabled(if: Corpus.shared != nil, "\(Corpus.skipReason)"),
    arguments: ["sharp--Channel_digital_image_CMYK_color_no_profile.jpg", "twelvemonkeys--cmyk-sample.jpg"])
  func inksAreThoseOfTheProgram(name: String) throws {
    let corpus = try #require(Corpus.shared)
    let entry = try #require(corpus.entries.first { $0.path.hasSuffix("/cmyk/" + name) })
    let file = try Profiles.inserting(Profiles.inks, into: corpus.bytes(of: entry))
    let expected = try #require(try Jpgicc.convert(file))
    let shown = try Pictures.decode(file).bitmap
    let size = PixelSize(width: shown.width / 8, height: shown.height / 8)
    #expect(shown.size == expected.size)
    // The means of blocks are compared, because the losses of writing cancel out in them.
    #expect(try shown.resized(to: size).largestDifference(from: expected.resized(to: size)) <= 2)
    #expect(shown.signalToNoise(against: expected) > 45)
  }
}
