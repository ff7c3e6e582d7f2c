import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Several encoded pictures of one original.
struct VariantTests {
  private static let url = URL(string: "http://host/upload.toy")!
  private let tagged = TransformerPipeline.custom(TaggingTransformer(1))
  private let large = EncodeRecipe(ToyImage.writtenFormat, quality: 0.9)
  private let small = EncodeRecipe(ToyImage.writtenFormat, quality: 0.3)

  /// A loader of a body that cannot be read a second time.
  private func loader(
    _ script: FakeLoader.Script = .body(ToyImage.small.bytes, chunkSize: 30), cacheIdentity: CacheIdentity = .instance
  ) -> FakeLoader {
    let loader = FakeLoader(cacheIdentity: cacheIdentity)
    loader.script(Self.url, script, .failure(ImageError(.badImageData, "The body was read already.")))
    return loader
  }

  /// A request that no cache can answer.
  private func upload(_ loader: FakeLoader, _ options: ImageOptions = [], cache: SlowCache? = nil) -> ImageRequest {
    var request = ImageRequest(url: Self.url, options: options, context: [.loader(loader)])
    request.context[.cache] = cache
    if cache == nil {
      request.context.merge([
        .queryLayers([]), .storeLayers([]), .originalQueryLayers([]), .originalStoreLayers([]),
      ])
    }
    return request
  }

  @Test func aBodyThatCanBeReadOnceGivesAllVariants() async throws {
    let (studio, loader) = (Studio(), loader())
    let pictures = try await studio.manager.variants(
      of: upload(loader),
      as: [ImageVariant(as: large), ImageVariant(tagged, as: large), ImageVariant(tagged, as: small)])
    #expect(Set(pictures.map(\.entityTag)).count == 3)
    #expect(try pictures[0].bitmap() != pictures[1].bitmap())
    #expect(try pictures[1].bitmap() == pictures[2].bitmap())
    #expect(loader.callCount == 1)
    await waitUntil { studio.isAtRest }
  }

  @Test func aVariantThatComesLateFindsTheBodyOfTheFirst() async throws {
    // Only keys of a loader with a name are looked up where lookups take time.
    let (studio, loader) = (Studio(), loader(cacheIdentity: .plain))
    let cache = SlowCache(for: "Encode(x-easel-print,q30)")
    let request = upload(loader, cache: cache)
    let task = Task {
      try await studio.manager.variants(of: request, as: [ImageVariant(as: large), ImageVariant(as: small)])
    }
    // The first variant is finished, and nobody waits for its transfer any more.
    await studio.observer.wait(for: "succeeded")
    await cache.gate.waitForWaiters()
    await waitUntil { studio.manager.transferRuns.count == 0 }
    cache.gate.open()
    let pictures = try await task.value
    #expect(pictures.count == 2 && loader.callCount == 1)
    #expect(pictures.allSatisfy { $0.size == PixelSize(width: 8, height: 6) })
  }

  @Test func theFirstErrorEndsAllAndNobodyReadsTheRestOfTheBody() async throws {
    let broken = FakeLoader.Script.failure(
      ImageError(.truncatedBody, "The client left."), after: 40, of: ToyImage.small.bytes)
    let loader = loader(broken, cacheIdentity: .plain)
    let (studio, cache) = (Studio(), SlowCache(for: "Encode(x-easel-print,q30)"))
    let request = upload(loader, cache: cache)
    let (large, small) = (large, small)
    let task = Task {
      try await studio.manager.variants(of: request, as: [ImageVariant(as: large), ImageVariant(as: small)])
    }
    let error = await #expect(throws: ImageError.self) { try await task.value }
    #expect(error?.code == .truncatedBody && loader.callCount == 1)
    await waitUntil { studio.isAtRest }
  }

  @Test func afterTheCallAnotherReadsTheSourceAgain() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    let request = ImageRequest(url: url, options: .fromLoaderOnly)
    _ = try await studio.manager.variants(of: request, as: [ImageVariant(as: large), ImageVariant(as: small)])
    await studio.settle()
    #expect(studio.loader.callCount == 1)
    _ = try await studio.manager.variants(of: request, as: [ImageVariant(as: large)])
    #expect(studio.loader.callCount == 2)
    await studio.settle()
  }

  @Test func whatACacheHasIsNotLoaded() async throws {
    let studio = Studio()
    let request = ImageRequest(url: studio.place(.small))
    let variants = [ImageVariant(as: large), ImageVariant(tagged, as: small)]
    let first = try await studio.manager.variants(of: request, as: variants)
    await studio.settle()
    let second = try await studio.manager.variants(of: request, as: variants)
    #expect(studio.loader.callCount == 1)
    #expect(first.map(\.entityTag) == second.map(\.entityTag) && second.map(\.source) == [.memory, .memory])
    let alone = try await studio.manager.encoded(
      for: ImageRequest(url: request.url, context: [.transformer(tagged)]), as: small)
    #expect(alone.entityTag == second[1].entityTag)
  }

  @Test func aVariantFollowsTheTransformerOfTheRequest() async throws {
    let studio = Studio { $0.transformer = .custom(TaggingTransformer(2)) }
    var request = ImageRequest(url: studio.place(.small))
    let made = try await studio.manager.variants(of: request, as: [ImageVariant(tagged, as: small)])
    #expect(made[0].key.readable.contains("-Tag(2)-Tag(1)-Encode("))
    request.context[.transformer] = .custom(TaggingTransformer(3))
    let other = try await studio.manager.variants(of: request, as: [ImageVariant(tagged, as: small)])
    #expect(other[0].key.readable.contains("-Tag(3)-Tag(1)-Encode("))
    await studio.settle()
  }

  @Test func theReasonIsThrownAndNotTheCancellationOfTheOthers() async throws {
    let studio = Studio()
    let unknown = EncodeRecipe(ImageFormat(mimeType: "image/x-nobody"))
    let error = await #expect(throws: ImageError.self) {
      try await studio.manager.variants(
        of: ImageRequest(url: studio.place(.small)),
        as: [ImageVariant(as: small), ImageVariant(as: unknown), ImageVariant(tagged, as: large)])
    }
    #expect(error?.code == .encodeFailed)
    await studio.settle()
    await waitUntil { studio.isAtRest }
  }

  @Test func whoCancelsLeavesNothing() async throws {
    let studio = Studio()
    let url = studio.place(.small)
    studio.loader.suspend(url)
    let (large, small) = (large, small)
    let task = Task {
      try await studio.manager.variants(
        of: ImageRequest(url: url), as: [ImageVariant(as: large), ImageVariant(as: small)])
    }
    await studio.loader.waitForStart(of: url)
    task.cancel()
    let error = await #expect(throws: ImageError.self) { try await task.value }
    #expect(error?.isCancellation == true)
    await waitUntil { studio.isAtRest }
  }

  @Test func bytesAtHandGiveVariantsToo() async throws {
    let studio = Studio()
    let made = try await studio.manager.variants(
      of: ToyImage.small.imageBytes, as: [ImageVariant(as: large), ImageVariant(tagged, as: small)])
    #expect(made.map(\.source) == [.bytes, .bytes] && studio.loader.callCount == 0)
    #expect(try await studio.manager.variants(of: ToyImage.small.imageBytes, as: []).isEmpty)
  }
}

/// A cache that has nothing, and whose answer about one result a test delays.
private final class SlowCache: ImageCache {
  let gate = AsyncGate()
  private let slowSuffix: String

  init(for suffix: String) { slowSuffix = suffix }

  func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheEntry.Hit? {
    if key.suffixes.last?.text == slowSuffix { try await gate.pass() }
    return nil
  }

  func store(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers) async throws {}
  func renew(
    _ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64, in layers: CacheLayers
  ) async throws {}
  func remove(_ key: CacheKey, from layers: CacheLayers) async throws {}
  func contains(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheLayers { [] }
  func clear(_ layers: CacheLayers) async throws {}
  func trim(_ layers: CacheLayers) async throws {}
  func count(in layer: CacheLayers) async throws -> Int { 0 }
  func size(of layer: CacheLayers) async throws -> Int { 0 }
}
