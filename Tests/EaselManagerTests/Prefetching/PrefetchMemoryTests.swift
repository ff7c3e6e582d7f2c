import EaselSupport
import EaselTestStudio
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers

/// Only the caches keep prefetched pictures alive.
@Suite(.tags(.alone))
struct PrefetchMemoryTests {
  /// Counts living pictures; each carries a witness object.
  private final class Census: Sendable {
    private let counts = Locked((living: 0, most: 0))

    var living: Int { counts.withLock { $0.living } }
    var most: Int { counts.withLock { $0.most } }

    func add(_ number: Int) {
      counts.withLock { counts in
        counts.living += number
        counts.most = max(counts.most, counts.living)
      }
    }
  }

  private final class Witness: FrameSource {
    let count = 2
    let loopCount = 0
    let canvasSize = PixelSize(width: 1, height: 1)
    let memoryCost = 0
    private let bitmap: Bitmap
    private let census: Census

    init(_ bitmap: Bitmap, _ census: Census) {
      self.bitmap = bitmap
      self.census = census
      census.add(1)
    }

    deinit { census.add(-1) }

    func duration(at index: Int) -> Duration { .seconds(1) }
    func frame(at index: Int) throws -> Bitmap { bitmap }
  }

  private struct Coder: ImageCoder {
    let census: Census
    let identifier = "counted"
    let formats = [ImageFormat(mimeType: "image/x-counted")]

    func canDecode(prefix: [UInt8]) -> Bool { true }
    func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
      throw ImageError(.unsupportedFormat, "Nobody asks for headers here.")
    }
    func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
      let bitmap = try Bitmap(size: PixelSize(width: 1, height: 1), format: .rgba8)
      return Image(bitmap, frames: Witness(bitmap, census))
    }
  }

  @Test(arguments: [false, true]) func aThousandPicturesTakeNoMoreThanTheMemoryStoreHolds(isRead: Bool) async throws {
    let census = Census()
    let store = SoakParts.Store()
    let loader = FakeLoader()
    var configuration = ImageManager.Configuration(
      loader: loader, coder: CoderRegistry([Coder(census: census)]), cache: TieredCache(memory: store))
    configuration.workers = .patient(threads: 2)
    let manager = ImageManager(configuration)
    let urls = (0..<1000).map { URL(string: "http://host/\($0).toy")! }
    for url in urls { loader.script(url, .body([1])) }
    let batch = ImagePrefetcher(manager: manager, concurrency: 3).prefetch(urls)
    // One of the two streams is never read.
    let unread = batch.items
    var read = 0
    if isRead { for await _ in batch.items { read += 1 } }
    #expect(await batch.outcome.finished == 1000)
    #expect(!isRead || read == 1000)
    // The store holds 40 pictures. Each of three loads holds one more or has just released it.
    #expect(census.most <= 40 + 20)
    store.removeAll()
    while manager.isRunning { await Task.yield() }
    while census.living > 0 { await Task.yield() }
    withExtendedLifetime((batch, unread)) {}
  }
}
