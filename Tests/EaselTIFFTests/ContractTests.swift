import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselTIFF

struct ContractTests {
  private typealias T = TIFFTesting

  /// Of every compression and depth, with and without alpha, turned, with pages, in both byte orders.
  private func samples() throws -> [ImageSample] {
    let noise = try Bitmap.noise(13, 9, .rgba8)
    func sample(_ name: String, _ bytes: ImageBytes, _ pixels: Bitmap? = nil) throws -> ImageSample {
      ImageSample(name, bytes: try bytes.array, pixels: pixels, signature: [0..<4])
    }
    var samples: [ImageSample] = []
    for compression in TIFFCompression.allCases {
      let bytes = try T.encode(Image(noise)) { $0.settings[.tiffCompression] = compression }
      samples.append(try sample("\(compression)", bytes, noise))
    }
    samples += [
      try sample("grey", T.encode(Image(Bitmap.noise(17, 12, .gray8)))),
      try sample("of 16 bits", T.encode(Image(Bitmap.noise(17, 12, .rgba16)))),
      try sample("one pixel", T.encode(Image(Bitmap(1, 1, .white)))),
      try sample("pages", T.encode(T.pages().image)),
      try sample("pages with alpha", T.encode(T.pages(2, .rgba8).image)),
    ]
    for orientation in [ImageMetadata.Orientation.upMirrored, .right] {
      let metadata = ImageMetadata(storedSize: noise.size, orientation: orientation)
      samples.append(try sample("\(orientation)", T.encode(Image(noise, metadata: metadata))))
    }
    var page = HandmadeTIFF.Page(
      20, 15, bits: [8, 8, 8], photometric: 2,
      strips: (0..<5).map { strip in (0..<180).map { UInt8(truncatingIfNeeded: $0 * 7 + strip * 31) } }, rowsPerStrip: 3
    )
    samples.append(try sample("big-endian", ImageBytes(HandmadeTIFF(page, isBigEndian: true).bytes)))
    samples.append(try sample("of 64-bit offsets", ImageBytes(HandmadeTIFF(page, isBig: true).bytes)))
    page.photometric = 8
    samples.append(try sample("Lab", ImageBytes(HandmadeTIFF(page).bytes)))
    return samples
  }

  @Test func theCoderKeepsItsContract() async throws {
    let violations = try await ImageCoderContract(TIFFCoder(), samples: samples()).check()
    #expect(violations.isEmpty, "\(violations)")
  }
}
