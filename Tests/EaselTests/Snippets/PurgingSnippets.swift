import Easel
import EaselRedis
import EaselService
import EaselTestSupport
import Testing

/// The snippet of Purging.md.
struct PurgingSnippets {
  @Test func purging() async throws {
    func rememberPurges(in settings: inout ImageService.Configuration, sharing redis: RedisStore) throws {
      var purges = PurgeLedger.Configuration()
      purges.directory = "/var/cache/pictures"
      try purges.share(over: redis)
      settings.purges = PurgeLedger(purges)
    }

    func pictureChanged(_ url: String, _ service: ImageService) async {
      let report = await service.purge([.source(url)])
      if !report.isComplete { print(report.notes, report.servers) }
    }
    let manager = ImageManager.Configuration(
      loader: FakeLoader(), coder: CoderRegistry([ToyCoder()]), cache: TieredCache())
    var settings = ImageService.Configuration(manager, signer: nil)
    let own = settings.purges
    // Nothing connects before a service begins to use it.
    try rememberPurges(in: &settings, sharing: RedisStore(RedisStore.Configuration("redis://cache.internal")))
    #expect(settings.purges !== own)
    settings.purges = own
    let service = ImageService(settings)
    await pictureChanged("https://host/a.png", service)
    #expect(service.metricsText.contains("easel_purges_total 1"))
  }
}
