import EaselTestStudio
import EaselTestSupport
import Testing

@testable import EaselCore
@testable import EaselManager

/// One load from beginning to end.
struct LifeOfARequestTests {
  @Test func aPlainLoadIsLoadedDecodedStoredOnceAndDelivered() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let result = try await studio.manager.result(for: ImageRequest(url: url))
    #expect(result.image.bitmap == (try ToyImage.small.expectedBitmap()))
    #expect(result.source == .network)
    await studio.settle()
    let key = CacheKey(original: url.absoluteString)
    #expect(studio.memory.calls.filter { $0 == .store(key) }.count == 1)
    #expect(studio.disk.calls.filter { $0 == .store(key) }.count == 1)
    #expect(studio.disk.entries[key]?.bytes.map { try? $0.data() } == (try ToyImage.small.imageBytes.data()))
    #expect(studio.isAtRest)
  }

  @Test func theSecondLoadIsAnsweredFromMemory() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    _ = try await studio.manager.image(for: url)
    let second = try await studio.manager.result(for: ImageRequest(url: url))
    #expect(second.source == .memory)
    #expect(studio.loader.callCount == 1)
    #expect(studio.manager.cachedImage(for: url)?.bitmap == (try ToyImage.small.expectedBitmap()))
  }

  /// The caller looks first, to answer at once; the run looks again, because another load may have stored the picture.
  @Test func aMissLooksIntoMemoryOncePerCallerAndOncePerRun() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let key = try await studio.manager.result(for: ImageRequest(url: url)).key
    #expect(studio.memory.calls.filter { $0 == .query(key) }.count == 2)
    studio.forgetCalls()
    _ = try await studio.manager.image(for: url, options: .includeData)
    #expect(studio.memory.calls.filter { $0 == .query(key) }.count == 1)
  }

  @Test func whatMemoryLostIsDecodedFromDiskAndPutBack() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    _ = try await studio.manager.image(for: url)
    await studio.settle()
    studio.memory.removeAll()
    let second = try await studio.manager.result(for: ImageRequest(url: url))
    #expect(second.source == .disk)
    #expect(studio.loader.callCount == 1)
    #expect(studio.manager.cachedImage(for: url) != nil)
  }

  @Test func aVariantStoresItselfAndItsOriginal() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let tag = TaggingTransformer(1)
    let request = ImageRequest(url: url, context: [.transformer(.custom(tag))])
    let result = try await studio.manager.result(for: request)
    #expect(TaggingTransformer.tags(of: result.image) == [1])
    await studio.settle()
    #expect(Set(studio.disk.entries.keys) == [result.key, result.key.originalKey])
    #expect(Set(studio.memory.entries.keys) == [result.key])
  }

  @Test func aThumbnailIsMadeOfTheStoredOriginalWithoutATransfer() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    _ = try await studio.manager.image(for: url)
    await studio.settle()
    let request = ImageRequest(url: url, context: [.thumbnailSize(PixelSize(width: 4, height: 4))])
    let result = try await studio.manager.result(for: request)
    #expect(result.image.size == PixelSize(width: 4, height: 3))
    #expect(result.source == .disk)
    #expect(studio.loader.callCount == 1)
    #expect(studio.manager.cachedImage(for: url)?.size == PixelSize(width: 8, height: 6))
  }

  @Test func eventsComeInTheOrderOfTheStages() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let tag = TaggingTransformer(1)
    _ = try await studio.manager.image(for: url, options: .waitStore, context: [.transformer(.custom(tag))])
    let expected = [
      "started", "cacheMiss", "loading", "response", "loaded", "decoded", "transformed", "stored", "stored", "stored",
      "succeeded",
    ]
    #expect(studio.observer.names == expected)
  }

  @Test func tenSizesOfOneURLCostOneTransfer() async throws {
    let studio = Studio()
    let url = studio.place(ToyImage(width: 64, height: 64, seed: 1))
    studio.loader.suspend(url)
    let images = try await withThrowingTaskGroup(of: PixelSize.self) { group in
      for side in 1...10 {
        group.addTask {
          try await studio.manager.image(
            for: url, context: [.thumbnailSize(PixelSize(width: side, height: side))]
          ).size
        }
      }
      await studio.loader.waitUntilSuspended(url)
      studio.loader.resume(url)
      return try await group.reduce(into: Set<PixelSize>()) { $0.insert($1) }
    }
    #expect(images.count == 10)
    #expect(studio.loader.callCount == 1)
    await studio.settle()
    #expect(studio.isAtRest)
  }

  @Test func cancellingTheOnlyCallerCancelsTheTransferAndAnswersAtOnce() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    studio.loader.suspend(url)
    let task = studio.manager.load(url)
    await studio.loader.waitUntilSuspended(url)
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.image }
    await studio.loader.waitForCancellation(of: url)
    #expect(studio.isAtRest)
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }
}
