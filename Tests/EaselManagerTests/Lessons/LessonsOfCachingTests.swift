import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Bugs that other libraries shipped: wrong entries under wrong keys.
struct LessonsOfCachingTests {
  private let studio = Studio()
  private let url = URL(string: "http://host/a.toy")!
  private let box: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]

  @Test func anOriginalIsNotWrittenAgainWhenAThumbnailIsMadeOfIt() async throws {
    studio.place(.small)
    _ = try await studio.manager.image(for: url, options: .waitStore)
    for side in 1...5 {
      let context: ImageContext = [.thumbnailSize(PixelSize(width: side, height: side))]
      _ = try await studio.manager.image(for: url, options: .waitStore, context: context)
    }
    let key = CacheKey(original: url.absoluteString)
    #expect(studio.disk.calls.filter { $0 == .store(key) }.count == 1)
    #expect(studio.loader.callCount == 1)
  }

  @Test func aThumbnailIsNeverKeptUnderTheKeyOfTheFullSize() async throws {
    studio.place(.small)
    _ = try await studio.manager.image(for: url, options: .waitStore, context: box)
    let key = CacheKey(original: url.absoluteString)
    #expect(studio.memory.entries[key]?.image == nil)
    #expect(try studio.disk.entries[key]?.bytes?.data() == ToyImage.small.imageBytes.data())
    #expect(try await studio.manager.image(for: url).size == PixelSize(width: 8, height: 6))
    #expect(try await studio.manager.image(for: url, context: box).size == PixelSize(width: 4, height: 3))
  }

  @Test func theFullSizeIsNeverKeptUnderTheKeyOfAThumbnail() async throws {
    studio.place(.small)
    _ = try await studio.manager.image(for: url, options: .waitStore)
    #expect(studio.manager.cachedImage(for: url, context: box) == nil)
    #expect(try await studio.manager.image(for: url, context: box).size == PixelSize(width: 4, height: 3))
  }

  @Test func aQueryOfTheDiskAloneIsNeverAnsweredByMemory() async throws {
    studio.place(.small)
    _ = try await studio.manager.image(for: url, context: [.storeLayers(.memory)])
    let result = try await studio.manager.result(for: ImageRequest(url: url, context: [.queryLayers(.disk)]))
    #expect(result.source == .network)
  }

  @Test func aTransformerThatFailsLeavesNothingUnderItsKey() async throws {
    studio.place(.small)
    let tag = TaggingTransformer(1, failure: ImageError(.badImageData, "It does not like it."))
    let context: ImageContext = [.transformer(.custom(tag))]
    await #expect { try await studio.manager.image(for: url, context: context) } throws: {
      ($0 as? ImageError)?.code == .transformFailed
    }
    await studio.settle()
    #expect(studio.manager.cachedImage(for: url, context: context) == nil)
    #expect(!studio.disk.entries.keys.contains { $0.isVariant })
    tag.fail(with: nil)
    _ = try await studio.manager.image(for: url, context: context)
  }

  @Test func theMemoryCostOfAMovingPictureCountsEachByteOnce() async throws {
    studio.place(.moving)
    let plain = try await studio.manager.image(for: url)
    #expect(plain.memoryCost == plain.bitmap.memoryCost + ToyImage.moving.bytes.count)
    let ready = try await studio.manager.image(for: url, options: .preloadAllFrames)
    let frames = try #require(ready.frames)
    let decoded = try (0..<frames.count).reduce(0) { try $0 + frames.frame(at: $1).memoryCost }
    #expect(ready.memoryCost == plain.memoryCost + decoded)
  }

  @Test func aPreviewStaysWhatItWasWhenMoreArrives() async throws {
    studio.place(.small, chunkSize: 60)
    let task = studio.manager.load(url, options: .progressive)
    var previews: [(image: Image, copy: [UInt8])] = []
    for await event in task.events {
      guard case .preview(let image) = event else { continue }
      #expect(image.traits.contains(.partial))
      previews.append((image, image.bitmap.withUnsafeBytes { [UInt8]($0) }))
    }
    _ = try await task.image
    for preview in previews { #expect(preview.image.bitmap.withUnsafeBytes { [UInt8]($0) } == preview.copy) }
  }

  @Test func optionsAreReadAfterTheProcessorHadItsWord() async throws {
    let studio = Studio { $0.optionsProcessor = FakeOptionsProcessor(adding: .fromCacheOnly) }
    studio.place(.small)
    await #expect { try await studio.manager.image(for: url) } throws: { ($0 as? ImageError)?.code == .notInCache }
    #expect(studio.loader.callCount == 0)
  }
}
