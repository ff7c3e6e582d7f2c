import EaselCore
import EaselManager
import EaselPNG
import EaselTestPixels
import EaselTestSupport
import EaselTiers
import FoundationEssentials
import Testing

@testable import EaselWebP

/// Pictures stored and loaded by a manager with PNG and WebP coders.
struct StoringTests {
  private let url = URL(string: "http://host/picture.png")!
  private let loader = FakeLoader()
  private let disk = RecordingDiskStore()

  private func makeManager() -> ImageManager {
    ImageManager(
      ImageManager.Configuration(
        loader: LoaderChain([loader]), coder: CoderRegistry([PNGCoder(), WebPCoder()]),
        cache: TieredCache(memory: RecordingMemoryStore(), disk: disk)))
  }

  /// The bytes on disk of a transformed picture with these pixels; another manager must read the same pixels from them.
  private func stored(_ bitmap: Bitmap, keeps16Bits: Bool = false) async throws -> ImageBytes {
    let file = try PNGCoder().encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext())
    loader.script(url, .body(try file.array))
    var options = DecodeOptions()
    options.keeps16Bits = keeps16Bits
    let request = ImageRequest(
      url: url, options: .waitStore, context: [.transformer(.custom(TaggingTransformer(1))), .decodeOptions(options)])
    let result = try await makeManager().result(for: request)
    #expect(result.image.bitmap.format.layout == bitmap.format.layout)
    let again = try await makeManager().result(for: request)
    #expect(again.source == .disk)
    #expect(again.image.bitmap == result.image.bitmap)
    return try #require(disk.entries[result.key]?.bytes)
  }

  @Test func whatWebPHoldsInFewerBytesIsStoredAsWebP() async throws {
    // WebP stores how red and blue differ from green, which PNG cannot.
    var bitmap = try Bitmap.noise(60, 40, .opaqueRGBA8)
    bitmap.withUnsafeMutableBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: 4) {
        bytes[start + 1] = bytes[start]
        bytes[start + 2] = bytes[start] &+ bytes[start + 2] & 3
      }
    }
    let bytes = try await stored(bitmap)
    #expect(WebPCoder().canDecode(prefix: try bytes.prefix(64)))
  }

  @Test func sixteenBitsAreStoredAsPNG() async throws {
    let bytes = try await stored(Bitmap.noise(20, 10, .rgba16), keeps16Bits: true)
    #expect(PNGCoder().canDecode(prefix: try bytes.prefix(64)))
  }

  @Test func aSideThatWebPDoesNotHoldIsStoredAsPNG() async throws {
    let bytes = try await stored(Bitmap(16_384, 1, .white))
    #expect(PNGCoder().canDecode(prefix: try bytes.prefix(64)))
  }
}
