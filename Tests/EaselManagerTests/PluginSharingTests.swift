import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Equal plug-ins that are values share loads.
struct PluginSharingTests {
  private struct Patient: RetryPolicy, Hashable {
    var attempts = 3
    func decision(after error: ImageError, attempt: Int, request: LoadRequest) -> RetryDecision { .giveUp }
  }

  private struct Impatient: RetryPolicy, Hashable {
    var attempts = 3
    func decision(after error: ImageError, attempt: Int, request: LoadRequest) -> RetryDecision { .giveUp }
  }

  private struct Nameless: RetryPolicy {
    func decision(after error: ImageError, attempt: Int, request: LoadRequest) -> RetryDecision { .giveUp }
  }

  private struct Plain: CacheSerializer, Hashable {
    var level = 1
    func serialize(_ image: Image, received: ImageBytes?, work: WorkContext) throws -> ImageBytes? { received }
  }

  /// A loader without a name of its own.
  private struct Wrapped: ImageLoader, Hashable {
    let name: String
    let base: FakeLoader
    var cacheIdentity: CacheIdentity { .instance }

    static func == (left: Wrapped, right: Wrapped) -> Bool { left.name == right.name && left.base === right.base }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
    func canLoad(_ url: URL) -> Bool { true }
    func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
      try await base.load(request, into: sink)
    }
  }

  private let studio = Studio()
  private let url = URL(string: "http://host/a.toy")!

  /// Starts loads that meet at the loader, releases them, and returns the numbers of transfers and runs.
  private func counts(
    _ contexts: [ImageContext], in studio: Studio? = nil
  ) async throws -> (transfers: Int, pictures: Int) {
    let studio = studio ?? self.studio
    studio.place(.small)
    studio.loader.suspend(url)
    let tasks = contexts.map { studio.manager.load(url, context: $0) }
    while studio.manager.resultRuns.waitingCount < contexts.count { await Task.yield() }
    let pictures = studio.manager.resultRuns.count
    studio.loader.resume(url)
    for task in tasks { _ = try await task.image }
    return (studio.loader.callCount, pictures)
  }

  private func contexts(_ make: (Int) -> ImageContext) -> [ImageContext] { (0..<10).map(make) }

  @Test func tenLoadsWithEqualRetryPoliciesAreOneTransfer() async throws {
    let counts = try await counts(contexts { _ in [.retryPolicy(Patient())] })
    #expect(counts == (1, 1))
  }

  @Test func retryPoliciesThatDifferKeepLoadsApart() async throws {
    let counts = try await counts(contexts { [.retryPolicy(Patient(attempts: $0 % 2))] })
    #expect(counts == (2, 2))
  }

  @Test func equalContentsOfDifferentTypesAreDifferent() async throws {
    let counts = try await counts(contexts { [.retryPolicy($0 % 2 == 0 ? Patient() : Impatient())] })
    #expect(counts == (2, 2))
  }

  @Test func aPolicyThatEqualsTheManagersIsTheManagers() async throws {
    let studio = Studio { $0.retryPolicy = Patient() }
    let counts = try await counts(contexts { $0 % 2 == 0 ? [] : [.retryPolicy(Patient())] }, in: studio)
    #expect(counts == (1, 1))
  }

  @Test func onePolicyWithoutEqualityIsSharedByTheLoadsOfOneContext() async throws {
    let context: ImageContext = [.retryPolicy(Nameless())]
    let counts = try await counts(contexts { _ in context })
    #expect(counts == (1, 1))
  }

  @Test func policiesWithoutEqualityAreApartWhenTheyAreGivenApart() async throws {
    let counts = try await counts(contexts { _ in [.retryPolicy(Nameless())] })
    #expect(counts == (10, 10))
  }

  @Test func equalSerializersLeadToOnePicture() async throws {
    let counts = try await counts(contexts { _ in [.cacheSerializer(Plain())] })
    #expect(counts == (1, 1))
    let apart = try await self.counts(contexts { [.cacheSerializer(Plain(level: $0 % 2)), .queryLayers([])] })
    #expect(apart.pictures == 2)
  }

  @Test func equalLoadersWithoutANameAreOneTransferAndOneKey() async throws {
    let counts = try await counts(contexts { _ in [.loader(Wrapped(name: "a", base: studio.loader))] })
    #expect(counts == (1, 1))
    let context: ImageContext = [.loader(Wrapped(name: "a", base: studio.loader))]
    #expect(studio.manager.cachedImage(for: url, context: context) != nil)
    let other: ImageContext = [.loader(Wrapped(name: "b", base: studio.loader))]
    #expect(studio.manager.cachedImage(for: url, context: other) == nil)
  }

  @Test func equalCachesAreOneCache() async throws {
    let counts = try await counts(contexts { _ in [.cache(NamedCache(name: "a", base: RecordingCache()))] })
    #expect(counts == (1, 1))
  }

  private struct NamedCache: ImageCache, Hashable {
    let name: String
    let base: RecordingCache

    static func == (left: NamedCache, right: NamedCache) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
    func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheEntry.Hit? {
      try await base.query(key, in: layers)
    }
    func store(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers) async throws {
      try await base.store(entry, for: key, in: layers)
    }
    func renew(
      _ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64, in layers: CacheLayers
    ) async throws {
      try await base.renew(response, ofOriginal: key, generation: generation, in: layers)
    }
    func remove(_ key: CacheKey, from layers: CacheLayers) async throws { try await base.remove(key, from: layers) }
    func contains(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheLayers {
      try await base.contains(key, in: layers)
    }
    func clear(_ layers: CacheLayers) async throws { try await base.clear(layers) }
    func trim(_ layers: CacheLayers) async throws { try await base.trim(layers) }
    func count(in layer: CacheLayers) async throws -> Int { try await base.count(in: layer) }
    func size(of layer: CacheLayers) async throws -> Int { try await base.size(of: layer) }
  }
}
