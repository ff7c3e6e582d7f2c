import Easel
import EaselObserving
import EaselRedis
import EaselS3
import EaselTestSupport
import Testing

/// The snippet of RunningMany.md.
struct RunningManySnippets {
  @Test func sharing() throws {
    func shareWork(_ configuration: inout ImageManager.Configuration, metrics: ImageMetrics) throws {
      let redis = try RedisStore(RedisStore.Configuration("redis://cache.internal"))
      let s3 = try S3Store(S3Store.Configuration(bucket: "pictures"))
      var results = SharedStoreGroup.Member(redis)
      results.largestBody = 512 << 10
      results.takesOriginals = false
      let group = SharedStoreGroup([results, SharedStoreGroup.Member(s3)])
      configuration.cache = TieredCache(memory: LRUMemoryStore(), shared: group)
      configuration.coordinator = group.guarding(RedisCoordinator(redis, lookingIn: group), withStoreAt: 0)
      configuration.observer = metrics
    }
    var configuration = ImageManager.Configuration(
      loader: FakeLoader(), coder: CoderRegistry([ToyCoder()]), cache: TieredCache())
    try shareWork(&configuration, metrics: ImageMetrics())
    let key = CacheKey(original: "http://host/a.png", suffixes: [CacheKey.Suffix("Encode(webp,80)", origin: .encoding)])
    #expect(configuration.cache.layers(for: key) == [.memory, .shared])
    #expect(configuration.coordinator != nil)
  }
}
