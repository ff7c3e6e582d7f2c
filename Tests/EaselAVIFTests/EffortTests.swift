import EaselCore
import EaselPNG
import EaselTestPixels
import EaselTestTags
import Testing

@testable import EaselAVIF

/// The time for what the pixels shown do not explain is known from the header.
struct EffortTests {
  private typealias T = AVIFTesting

  private func effort(_ bytes: ImageBytes) throws -> Duration {
    try #require(T.coder.probe(bytes, work: WorkContext()).effort)
  }

  @Test func aPhotoIsWhatItsPixelsSay() throws {
    let photo = try T.encode(Image(Bitmap.waves(160, 120))) { ($0.quality, $0.settings[.avifSpeed]) = (0.5, 10) }
    #expect(try effort(photo) == .zero)
  }

  @Test func manyBytesAndAlphaAreMoreWork() throws {
    let noise = try Bitmap.noise(160, 120, .opaqueRGBA8)
    let many = try T.encode(Image(noise)) { ($0.lossless, $0.settings[.avifSpeed]) = (true, 10) }
    #expect(many.count > 40_000)
    #expect(try effort(many) > .milliseconds(4))
    let clear = try T.encode(Image(Bitmap(160, 120, PixelColor(red: 9, green: 9, blue: 9, alpha: 100)))) {
      $0.settings[.avifSpeed] = 10
    }
    #expect(try effort(clear) == .nanoseconds(160 * 120 * 6))
  }

  /// A picture of few pixels that is cut out of a large one costs what the large one costs.
  @Test(.tags(.alone), .enabled(if: Avifenc.isThere, Avifenc.isMissing))
  func pixelsThatAreCutOffCount() throws {
    let picture = Image(try Bitmap.waves(400, 300))
    let png = try PNGCoder().encode(picture, as: .png, options: EncodeOptions(), work: WorkContext())
    let file = try #require(try Avifenc.written(["/usr/bin/avifenc", "--crop", "0,0,20,10"], of: png))
    #expect(try effort(ImageBytes(file)) == .nanoseconds((400 * 300 - 20 * 10) * 17))
  }
}
