import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore

/// The effects of answers on the records and entries in both stores.
struct HTTPRecordTests {
  private let url = URL(string: "http://host/a.toy")!
  private let older = ToyImage(width: 8, height: 6, seed: 7)
  private let newer = ToyImage(width: 16, height: 16, seed: 9)
  private let small: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]

  private func house(_ headers: HTTPHeaders, _ second: FakeLoader.Script...) throws -> CachingHouse {
    let house = try CachingHouse { $0.cachePolicy = .http }
    let first = FakeLoader.Script.body(older.bytes, headers: headers)
    switch second.count {
    case 0: house.loader.script(url, first)
    case 1: house.loader.script(url, first, second[0])
    default: house.loader.script(url, first, second[0], second[1])
    }
    return house
  }

  /// A 304 brings new fields, and fields that it omits stay.
  ///
  /// A case has the fields of the 304 and the new lifetime.
  @Test(
    arguments: [
      ([:], 60), (["Cache-Control": "max-age=100"], 100), (["Cache-Control": "max-age=100", "Age": "30"], 70),
      (["Cache-Control": "no-cache"], 0), (["Expires": HTTPRule.date(900)], 60),
    ] as [(HTTPHeaders, Double)], [false, true])
  func notModifiedRenewsTheRecord(_ rule: (fields: HTTPHeaders, lasts: Double), afterRestart: Bool) async throws {
    var house = try house(
      ["ETag": "\"1\"", "Cache-Control": "max-age=60"], .notModified(headers: rule.fields), .body(newer.bytes))
    _ = try await house.load(url)
    _ = try await house.load(url, [], small)
    house.clock.advance(by: .seconds(60))
    #expect(try await house.load(url, [], small).source == .revalidated)
    if afterRestart { house = await house.reopened() }
    if rule.lasts > 0 {
      house.clock.advance(by: .seconds(rule.lasts - 1))
      for context in [[], small] {
        #expect(try await house.load(url, [], context).source == (afterRestart ? .disk : .memory))
      }
      house.clock.advance(by: .seconds(1))
    }
    #expect(try await house.load(url).source == .network)
    #expect(house.loader.callCount == 3)
  }

  @Test func aNewDateInANotModifiedIsAskedWithNext() async throws {
    let changed = HTTPRule.date(-5)
    let house = try house(
      ["ETag": "\"1\"", "Cache-Control": "max-age=10"],
      .notModified(headers: ["ETag": "\"1\"", "Last-Modified": changed]))
    _ = try await house.load(url)
    for date in [nil, changed] {
      house.clock.advance(by: .seconds(10))
      #expect(try await house.load(url).source == .revalidated)
      let asked = house.loader.calls(for: url).last?.request.headers
      #expect(asked?["If-None-Match"] == "\"1\"" && asked?["If-Modified-Since"] == date)
    }
  }

  @Test(arguments: [false, true]) func anotherNameInANotModifiedIsNoConfirmation(afterRestart: Bool) async throws {
    var house = try house(
      ["ETag": "\"1\"", "Cache-Control": "max-age=10"], .notModified(headers: ["ETag": "\"2\""]),
      .body(newer.bytes, headers: ["ETag": "\"3\"", "Cache-Control": "max-age=10"]))
    _ = try await house.load(url)
    house.clock.advance(by: .seconds(10))
    if afterRestart { house = await house.reopened() }
    let result = try await house.load(url)
    #expect(try result.source == .network && result.image.bitmap == newer.expectedBitmap())
    let tags = house.loader.calls(for: url).map { $0.request.headers["If-None-Match"] }
    #expect(tags == [nil, "\"1\"", nil])
    #expect(try house.disk.entry(for: result.key)?.record.response?.headers["ETag"] == "\"3\"")
  }

  @Test(arguments: [false, true]) func whatIsChangedIsForgottenInBothStores(afterRestart: Bool) async throws {
    var house = try house(["Cache-Control": "max-age=600"], .body(newer.bytes))
    for context in [[], small] { _ = try await house.load(url, [], context) }
    #expect(try house.disk.count() == 2 && house.memory.count == 2)
    if afterRestart { house = await house.reopened() }
    var change = ImageRequest(url: url)
    change.method = "PUT"
    _ = try await house.manager.result(for: change)
    #expect(try house.disk.count() == 0 && house.memory.count == 0)
    #expect(try await house.load(url).source == .network)
  }

  @Test(arguments: [false, true])
  func newBytesTakeTheVariantsOfTheOldOnesAlong(afterRestart: Bool) async throws {
    var house = try house(
      ["ETag": "\"1\"", "Cache-Control": "max-age=10"],
      .body(newer.bytes, headers: ["Cache-Control": "max-age=600"]))
    for context in [[], small] { _ = try await house.load(url, [], context) }
    #expect(try house.disk.count() == 2 && house.memory.count == 2)
    if afterRestart { house = await house.reopened() }
    house.clock.advance(by: .seconds(10))
    #expect(try await house.load(url).image.bitmap == newer.expectedBitmap())
    #expect(try house.disk.count() == 1 && house.memory.count == 1)
    #expect(try await house.load(url, [], small).source == .disk)
    #expect(house.loader.callCount == 2)
  }

  @Test func onePictureIsKeptForEachKeyWhateverItVariesWith() async throws {
    let headers: HTTPHeaders = ["Vary": "Accept-Language", "Cache-Control": "max-age=600"]
    let house = try house(headers, .body(newer.bytes, headers: headers), .body(older.bytes, headers: headers))
    let (german, english): (ImageContext, ImageContext) = (
      [.headers(["Accept-Language": "de"])], [.headers(["Accept-Language": "en"])]
    )
    _ = try await house.load(url, [], german)
    #expect(house.manager.cachedImage(for: url, context: english) == nil)
    #expect(try await house.load(url, [], english).source == .network)
    #expect(try house.disk.count() == 1 && house.memory.count == 1)
    #expect(try await house.reopened().load(url, [], english).source == .disk)
    #expect(try await house.load(url, [], german).source == .network)
  }

  @Test(arguments: [false, true])
  func whatIsStaleWasRefreshedAsideForTheNextTime(afterRestart: Bool) async throws {
    let house = try house(
      ["ETag": "\"1\"", "Cache-Control": "max-age=10, stale-while-revalidate=20"],
      .body(newer.bytes, headers: ["Cache-Control": "max-age=600"]))
    _ = try await house.load(url)
    house.clock.advance(by: .seconds(15))
    #expect(try await house.load(url).image.bitmap == older.expectedBitmap())
    let next = afterRestart ? await house.reopened() : house
    let result = try await next.load(url)
    #expect(try result.image.bitmap == newer.expectedBitmap())
    #expect(result.source == (afterRestart ? .disk : .memory))
    #expect(house.loader.callCount == 2)
  }

  @Test func withoutThePolicyAStalePictureIsUsedForEver() async throws {
    let house = try house(["ETag": "\"1\"", "Cache-Control": "max-age=1"])
    _ = try await house.load(url)
    house.clock.advance(by: .seconds(100_000))
    #expect(try await house.load(url, [], [.cachePolicy(.forever)]).source == .memory)
    #expect(try await house.reopened().load(url, [], [.cachePolicy(.forever)]).source == .disk)
  }

  @Test func onlyWhatIsFreshIsServedFromTheCacheAlone() async throws {
    let house = try house(["ETag": "\"1\"", "Cache-Control": "max-age=10"])
    _ = try await house.load(url)
    #expect(try await house.load(url, .fromCacheOnly).source == .memory)
    #expect(house.manager.cachedImage(for: url) != nil)
    house.clock.advance(by: .seconds(10))
    #expect(house.manager.cachedImage(for: url) == nil)
    let error = await #expect(throws: ImageError.self) { try await house.load(url, .fromCacheOnly) }
    #expect(error?.code == .notInCache)
  }

  @Test func refreshingAsksAlthoughItIsFresh() async throws {
    let house = try house(["ETag": "\"1\"", "Cache-Control": "max-age=600"], .notModified(), .body(newer.bytes))
    _ = try await house.load(url)
    #expect(try await house.load(url, .refreshCached).source == .revalidated)
    let changed = try await house.reopened().load(url, .refreshCached)
    #expect(try changed.source == .network && changed.image.bitmap == newer.expectedBitmap())
    #expect(try await house.reopened().load(url, [], [.cachePolicy(.forever)]).image.bitmap == newer.expectedBitmap())
  }

  @Test func theStoresKeepRecordsOfWhatWasAnswered() async throws {
    let house = try house(["ETag": "\"1\"", "Cache-Control": "max-age=600", "Content-Type": "image/x-easel-toy"])
    let key = try await house.load(url).key
    for record in [house.memory.entry(for: key)?.record, try house.disk.entry(for: key)?.record] {
      #expect(record?.response?.status == 200)
      #expect(record?.response?.headers["ETag"] == "\"1\"")
      #expect(record?.response?.received == house.clock.date)
    }
  }
}
