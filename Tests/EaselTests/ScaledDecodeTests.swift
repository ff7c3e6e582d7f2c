import Easel
import EaselTestSupport
import FoundationEssentials
import Testing

/// Through the manager, the coder is told the smallest size that the transformers need.
struct ScaledDecodeTests {
  private let loader = FakeLoader()
  private let coder = ToyCoder()
  private let url = URL(string: "http://host/wave.toy")!

  private func manager(_ picture: ToyImage, memory: Bool = false) -> ImageManager {
    loader.script(url, .body(picture.bytes, chunkSize: 4096))
    let cache = TieredCache(memory: LRUMemoryStore(), disk: RecordingDiskStore())
    return ImageManager(
      ImageManager.Configuration(loader: LoaderChain([loader]), coder: CoderRegistry([coder]), cache: cache))
  }

  /// A picture so smooth that skipping every other pixel loses little.
  private static func wave(_ side: Int) -> ToyImage {
    let pixels = (0..<side * side).map { index in
      let value = UInt8(clamping: (index % side + index / side) * 255 / (2 * side))
      return PixelColor(red: value, green: 255 - value, blue: 128)
    }
    return ToyImage(
      size: PixelSize(width: side, height: side), hasAlpha: false, frames: [ToyImage.Frame(pixels: pixels)])
  }

  @Test(arguments: [true, false])
  func aResizeToASixteenthAsksForAScaledDecode(isProgressive: Bool) async throws {
    let coder = ToyCoder(isProgressive: isProgressive)
    let bytes = Self.wave(256).bytes
    loader.script(url, .body(bytes, chunkSize: 4096))
    let observer = RecordingObserver()
    var configuration = ImageManager.Configuration(
      loader: LoaderChain([loader]), coder: CoderRegistry([coder]), cache: TieredCache(memory: LRUMemoryStore()))
    configuration.observer = observer
    let manager = ImageManager(configuration)
    let image = try await manager.image(for: url, context: [.transformer(.resize(width: 16))])
    #expect(image.size == PixelSize(width: 16, height: 16))
    let decoded = observer.events.compactMap { event -> PixelSize? in
      if case .decoded(let size, _) = event.kind { size } else { nil }
    }
    #expect(decoded.count == 1)
    #expect(decoded[0].width < 256 && decoded[0].width >= 5 * 16)
  }

  @Test func aPlainLoadBesideItIsDecodedInFull() async throws {
    let manager = manager(Self.wave(256))
    async let small = manager.image(for: url, context: [.transformer(.resize(width: 32))])
    async let full = manager.image(for: url)
    #expect(try await small.size.width == 32)
    #expect(try await full.size.width == 256)
    #expect(loader.callCount == 1)
  }

  @Test func theResultIsNearToThatOfTheFullDecode() async throws {
    let picture = Self.wave(256)
    let planned = try await manager(picture).image(for: url, context: [.transformer(.resize(width: 32))])
    let full = Image(try picture.expectedBitmap())
    let direct = try TransformerPipeline.resize(width: 32).transform(full, work: WorkContext())
    let (left, right) = (planned.bitmap, direct.bitmap)
    #expect(left.format == right.format && left.size == right.size)
    var squares = 0.0
    left.withUnsafeBytes { a in
      right.withUnsafeBytes { b in
        for index in a.indices {
          let difference = Double(a[index]) - Double(b[index])
          squares += difference * difference
        }
      }
    }
    let mean = squares / Double(left.byteCount)
    #expect(mean < 255 * 255 / 10_000, "The error is over what 40 dB allow: \(mean).")
  }

  @Test func neighboursAreRunAsOneStep() async throws {
    let observer = RecordingObserver()
    loader.script(url, .body(Self.wave(64).bytes))
    var configuration = ImageManager.Configuration(
      loader: LoaderChain([loader]), coder: CoderRegistry([coder]), cache: TieredCache(memory: LRUMemoryStore()))
    configuration.observer = observer
    let manager = ImageManager(configuration)
    let pipeline: TransformerPipeline = [.crop(PixelRect(x: 8, y: 8, width: 48, height: 48)), .resize(width: 12)]
    let result = try await manager.result(for: ImageRequest(url: url, context: [.transformer(pipeline)]))
    #expect(result.image.size == PixelSize(width: 12, height: 12))
    #expect(result.key.suffixes.map(\.text) == ["Crop({8,8,48,48})", "Resize({12,0},0,4,1)"])
    #expect(observer.names.filter { $0 == "transformed" }.count == 1)
  }
}
