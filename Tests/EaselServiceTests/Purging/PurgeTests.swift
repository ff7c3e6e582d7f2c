import EaselMemory
import EaselTestSupport
import EaselTransformers
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselService
@testable import EaselTiers

/// Purging the pictures of one server.
struct PurgeTests {
  private static let other = URL(string: "https://host/b.jpg")!

  /// A studio whose source answers with another picture each time.
  private func studio(
    headers: HTTPHeaders = [:], _ configure: (inout ImageService.Configuration) -> Void = { _ in }
  ) throws -> ServiceStudio {
    let studio = ServiceStudio(configure)
    studio.order()
    for url in [ServiceStudio.source, Self.other] {
      let pictures = try (1...6).map { seed in
        FakeLoader.Script.body(try ServiceStudio.picture(.jpeg, seed: UInt8(seed * 5)), headers: headers)
      }
      studio.loader.script(url, pictures[0], pictures[1], pictures[2], pictures[3], pictures[4], pictures[5])
    }
    return studio
  }

  @Test func aPurgedPictureIsLoadedAnew() async throws {
    let studio = try studio()
    let first = await studio.get()
    #expect(first.status == 200 && studio.atOnce()?.bytes == first.bytes)
    let report = await studio.service.purge([.source("HTTPS://host:443/x/../a.jpg")])
    #expect(report.isComplete && report.servers.count == 1)
    #expect(studio.atOnce() == nil)
    let second = await studio.get()
    #expect(second.status == 200 && second.bytes != first.bytes && studio.loader.callCount == 2)
    #expect(second.headers["ETag"] != first.headers["ETag"])
    #expect(studio.atOnce()?.bytes == second.bytes)
  }

  @Test func otherPicturesStay() async throws {
    let studio = try studio()
    studio.order(at: "/other") { $0.source = Self.other.absoluteString }
    _ = await studio.get()
    let other = await studio.get("/other")
    _ = await studio.service.purge([.source(ServiceStudio.source.absoluteString)])
    #expect(studio.atOnce("/other")?.bytes == other.bytes && studio.loader.callCount(for: Self.other) == 1)
  }

  @Test func keysWithoutPurgesAreThoseOfBefore() async throws {
    let studio = try studio()
    let before = studio.service.manager.cacheKey(for: ImageRequest(url: ServiceStudio.source))
    func key() throws -> CacheKey? {
      let exchange = ServiceExchange(ServiceRequest(target: "/p"), studio.service.settings)
      guard case .picture(let place) = try exchange.route() else { return nil }
      return studio.service.manager.cacheKey(
        for: try WantedImage(place, exchange, studio.clock.date).request())
    }
    #expect(try key() == before)
    _ = await studio.service.purge([.source(Self.other.absoluteString), .tag("cats")])
    #expect(try key() == before)
    _ = await studio.service.purge([.source(ServiceStudio.source.absoluteString)])
    #expect(try key() != before)
  }

  @Test func whatIsBeingMadeGoesOutAndIsNotKept() async throws {
    let studio = try studio()
    studio.loader.suspend(ServiceStudio.source, at: .end)
    let waiting = Task { await studio.get() }
    await studio.loader.waitUntilSuspended(ServiceStudio.source, at: .end)
    _ = await studio.service.purge([.source(ServiceStudio.source.absoluteString)])
    // It begins a transfer of its own, and does not join the one from before.
    let later = Task { await studio.get() }
    await studio.loader.waitForStart(of: ServiceStudio.source, call: 2)
    studio.loader.resume(ServiceStudio.source, at: .end)
    let (old, new) = (await waiting.value, await later.value)
    #expect(old.status == 200 && new.status == 200 && old.bytes != new.bytes)
    #expect(studio.atOnce()?.bytes == new.bytes && studio.loader.callCount == 2)
  }

  @Test(arguments: [Purge.sources(beginningWith: "https://HOST/"), .everything])
  func manyArePurgedAtOnce(purge: Purge) async throws {
    let studio = try studio()
    studio.order(at: "/other") { $0.source = Self.other.absoluteString }
    let first = await (studio.get(), studio.get("/other"))
    _ = await studio.service.purge([purge])
    let second = await (studio.get(), studio.get("/other"))
    #expect(first.0.bytes != second.0.bytes && first.1.bytes != second.1.bytes)
    _ = await studio.service.purge([.sources(beginningWith: "https://elsewhere/")])
    #expect(studio.atOnce()?.bytes == second.0.bytes)
  }

  @Test func originalsAndFactsArePurgedToo() async throws {
    let studio = try studio { $0.manager.cache = TieredCache(memory: LRUMemoryStore(), disk: RecordingDiskStore()) }
    studio.order(at: "/raw") { $0.answer = .original }
    studio.order(at: "/info") { $0.answer = .info }
    let raw = await studio.get("/raw")
    // The original goes to the disk after the answer.
    await studio.service.manager.storeQueues.drain()
    let info = await studio.get("/info")
    #expect(raw.status == 200 && info.status == 200)
    #expect(await studio.get("/raw").bytes == raw.bytes && studio.loader.callCount == 1)
    _ = await studio.service.purge([.source(ServiceStudio.source.absoluteString)])
    #expect(await studio.get("/raw").bytes != raw.bytes)
    #expect(await studio.get("/info").headers["ETag"] != info.headers["ETag"])
  }

  @Test(arguments: [Purge.sources(beginningWith: "https://host/a"), .tag("cats")])
  func whatWasPurgedLeavesTheDiskAndTheSharedStore(purge: Purge) async throws {
    let (disk, shared) = (RecordingDiskStore(), InMemorySharedStore())
    let studio = try studio {
      $0.manager.cache = TieredCache(memory: LRUMemoryStore(), disk: disk, shared: shared)
    }
    let picture = try ServiceStudio.picture(.jpeg)
    studio.loader.script(Self.other, .body(picture))
    let tagged = FakeLoader.Script.body(picture, headers: ["Cache-Tag": "cats"])
    studio.loader.script(ServiceStudio.source, tagged, tagged)
    studio.order(at: "/other") { $0.source = Self.other.absoluteString }
    studio.order { $0.format = .png }
    _ = await (studio.get(), studio.get("/other"))
    await studio.service.manager.storeQueues.drain()
    let keys = disk.entries.keys.filter { $0.original == ServiceStudio.source.absoluteString }
    let others = disk.entries.count - keys.count
    #expect(!keys.isEmpty && others > 0)

    _ = await studio.service.purge([purge])
    await studio.service.sweep.waitForEnd()
    #expect(disk.entries.count == others && studio.service.sweep.figures.entries == keys.count)
    #expect(studio.service.sweep.figures.bytes > 0)
    for key in keys { #expect(try await !shared.contains(key)) }
    // What is made from now on stays, whatever else is purged.
    _ = await studio.get()
    await studio.service.manager.storeQueues.drain()
    let count = disk.entries.count
    #expect(count > others)
    _ = await studio.service.purge([.source("https://elsewhere/a.jpg"), .tag("dogs")])
    await studio.service.sweep.waitForEnd()
    #expect(disk.entries.count == count)
  }

  @Test func whatNoURLCanBeIsSaid() async throws {
    let report = await (try studio()).service.purge([.tag("two words"), .source(ServiceStudio.source.absoluteString)])
    #expect(!report.isComplete && report.notes.first?.contains("t:two words cannot be purged") == true)
    #expect(report.status == 202 && report.json.contains(#""complete":false"#))
  }

  // MARK: Tags

  @Test func tagsOfAURLPurgeItAlone() async throws {
    let studio = try studio()
    studio.order(at: "/tagged") { $0.cacheTags = ["cats", "big"] }
    let (plain, tagged) = (await studio.get(), await studio.get("/tagged"))
    #expect(plain.headers["Cache-Tag"] == nil && tagged.headers["Cache-Tag"] == "cats,big")
    #expect(studio.atOnce("/tagged")?.headers["Surrogate-Key"] == "cats big")
    _ = await studio.service.purge([.tag("dogs")])
    #expect(studio.atOnce("/tagged")?.bytes == tagged.bytes)
    _ = await studio.service.purge([.tag("big")])
    #expect(studio.atOnce("/tagged") == nil && studio.atOnce()?.bytes == plain.bytes)
    #expect(await studio.get("/tagged").bytes != tagged.bytes)
  }

  @Test(arguments: ["Cache-Tag", "Surrogate-Key"])
  func tagsOfASourcePurgeIt(field: String) async throws {
    let studio = try studio(headers: [field: field == "Cache-Tag" ? "cats, big" : "cats big"])
    let first = await studio.get()
    #expect(first.headers["Cache-Tag"] == "cats,big" && first.headers["Surrogate-Key"] == "cats big")
    _ = await studio.service.purge([.tag("dogs")])
    #expect(studio.atOnce()?.bytes == first.bytes)
    for _ in 0..<3 {
      let before = await studio.get()
      _ = await studio.service.purge([.tag("big")])
      #expect(studio.atOnce() == nil)
      let after = await studio.get()
      #expect(after.bytes != before.bytes && after.headers["Cache-Tag"] == "cats,big")
      #expect(studio.atOnce()?.bytes == after.bytes)
    }
    #expect(studio.loader.callCount == 4)
  }

  @Test func aTagOfASourceThatIsBeingLoadedCounts() async throws {
    let studio = try studio(headers: ["Cache-Tag": "cats"])
    studio.loader.suspend(ServiceStudio.source, at: .end)
    let waiting = Task { await studio.get() }
    await studio.loader.waitUntilSuspended(ServiceStudio.source, at: .end)
    _ = await studio.service.purge([.tag("cats")])
    studio.loader.resume(ServiceStudio.source, at: .end)
    // Nobody knows the tags before the source has answered, so that the one who waits gets the newer picture too.
    let answer = await waiting.value
    #expect(answer.status == 200 && studio.loader.callCount == 2 && studio.atOnce()?.bytes == answer.bytes)
  }

  @Test(arguments: ["cache_tags:cats:b%2Dg", "ct:cats:b-g:cats"])
  func theOptionOfURLsNamesTags(option: String) throws {
    let reader = ImgproxyReader(rules: URLRules(), signer: nil, formats: FormatNames(CoderRegistry()))
    let order = try reader.order(at: "/unsafe/\(option)/plain/https://host/a.jpg", now: 0)
    #expect(order.cacheTags == ["cats", "b-g"])
    let error = #expect(throws: ServiceError.self) {
      try reader.order(at: "/unsafe/ct:a%20b/plain/https://host/a.jpg", now: 0)
    }
    #expect(error?.status == 400 && error?.message.contains("tags of visible ASCII") == true)
  }

  // MARK: Cut off

  @Test func aServerThatIsCutOffSaysSo() async throws {
    let file = FileManager.default.temporaryDirectory.path + "/purges-\(UInt64.random(in: 0 ... .max))"
    try Data().write(to: URL(filePath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    var settings = PurgeLedger.Configuration()
    // No file can be in a file.
    (settings.directory, settings.clock, settings.patience) = (file, ManualClock(), .seconds(3600))
    for rule in PurgeLedger.CutOff.allCases {
      settings.whenCutOff = rule
      let ledger = PurgeLedger(settings)
      let studio = try studio { $0.purges = ledger }
      let first = await studio.get()
      #expect(first.status == 200)
      let health = await studio.get("/health")
      #expect(health.status == 200 && health.text.contains("ok, but cut off from purges for 0 s"))
      #expect(studio.service.metricsText.contains("easel_purge_cut_off_seconds 0"))
      // Within one lease, a picture that was loaded now may be used again, but is kept in memory only.
      #expect(await studio.get().bytes == first.bytes && studio.loader.callCount == 1)
      #expect((studio.atOnce() == nil) == (rule == .load))
    }
  }
}
