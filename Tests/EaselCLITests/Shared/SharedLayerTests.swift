import Easel
import Testing

@testable import EaselCLI

struct SharedLayerTests {
  @Test(arguments: [
    ("", "A shared store is written"), ("s3", "A shared store is written"), ("s3:bucket", "A shared store is written"),
    ("s4://bucket", "No shared store has the scheme 's4'"), ("ftp://bucket/x", "No shared store has the scheme 'ftp'"),
  ])
  func anAddressNeedsAKnownScheme(text: String, message: String) throws {
    let error = #expect(throws: ImageError.self) { try SharedAddress(text) }
    #expect(error?.message.hasPrefix(message) == true && error?.message.contains("s3://BUCKET/PREFIX") == true)
  }

  @Test(arguments: [
    "redis://cache", "redis://user:word@cache:6380/2?prefix=pictures",
    "rediss://cache?ca=/etc/ssl/certs/ca-certificates.crt",
    "redis+unix:///run/redis.sock?db=1", "redis+sentinel://one,two/main/1", "redis+cluster://one:7000,two:7000",
    "REDIS://cache", "memcached://cache", "memcached://one:11211,two?prefix=pictures",
  ])
  func formsOfFastEngines(text: String) throws {
    let layer = try #require(try SharedLayer([SharedAddress(text)], .serving(.milliseconds(100))))
    #expect(layer.coordinator != nil)
  }

  @Test(arguments: [
    ("redis://", "host"), ("redis://cache/x", "database"), ("redis://cache?speed=1", "speed"),
    ("redis+sentinel://one", "master"), ("redis://one,two", "cluster"), ("redis://cache:99999", "port"),
    ("memcached://", "host"), ("memcached://cache/x", "host"),
  ])
  func whatAnAddressLacksIsSaid(text: String, word: String) throws {
    let address = try SharedAddress(text)
    let error = #expect(throws: ImageError.self) { try SharedLayer([address], .once) }
    #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
  }

  @Test func redisStandsBeforeS3() throws {
    let addresses = [try SharedAddress("s3://pictures/x"), try SharedAddress("redis://cache")]
    let layer = try #require(try SharedLayer(addresses, .once))
    #expect(layer.coordinator != nil && layer.store.counts.count == 2)
    #expect(try SharedLayer([addresses[0]], .once)?.coordinator == nil)
    let both = [addresses[1], try SharedAddress("memcached://cache")]
    #expect(throws: ImageError.self) { try SharedLayer(both, .once) }
  }

  @Test(arguments: [
    "s3://a", "s3://bucket/x?speed=1", "s3://bucket/x?endpoint=ftp://host", "s3://bucket/x?style=round",
  ])
  func anAddressMustBeWhole(text: String) throws {
    let address = try SharedAddress(text)
    #expect(throws: ImageError.self) { try SharedLayer([address], .once) }
  }

  @Test func twoStoresOfOneKindAreRefused() throws {
    let addresses = [try SharedAddress("s3://one/x"), try SharedAddress("s3://two/x")]
    let error = #expect(throws: ImageError.self) { try SharedLayer(addresses, .once) }
    #expect(error?.message.contains("s3://one/x and s3://two/x") == true)
  }

  @Test func noAddressIsNoLayer() throws { #expect(try SharedLayer([], .once) == nil) }

  @Test(arguments: [
    ("s3://bucket/prefix", "s3://bucket/prefix"), ("s3://user@host/0", "s3://***@host/0"),
    ("s3://user:word@host/0", "s3://user:(not shown)@host/0"), ("s3://:word@host", "s3://:(not shown)@host"),
    ("s3://u:w:o@r@host?x=a:b@c", "s3://u:(not shown)@host?x=a:b@c"), ("user:word@host", "user:(not shown)@host"),
    ("s3:/user:word@host", "s3:/user:word@host"),
  ])
  func passwordsAreNotShown(text: String, shown: String) { #expect(SharedAddress.shown(text) == shown) }

  @Test func settingsOfTheServer() throws {
    let bench = ServeBench.unsafe("--shared", "s3://pictures/x?region=eu-west-1", "--shared-timeout", "0.3")
    let settings = try bench.settings()
    #expect(settings.shared.map(\.text) == ["s3://pictures/x?region=eu-west-1"])
    #expect(settings.sharedTime == .milliseconds(300))
    #expect(ServeBench.file("shared = s5://pictures\n").mistakes().first?.contains("'s5'") == true)
    #expect(
      ServeBench.unsafe("--shared", "s3://a").mistakes() == [
        "shared: A store in S3 is written s3://bucket/prefix. (s3://a)"
      ])
    let secret = ServeBench.unsafe("--shared", "s3://user:word@pictures/x")
    #expect(secret.mistakes().allSatisfy { !$0.contains("word@") } && !secret.mistakes().isEmpty)
    #expect(
      try ServeBench.unsafe("--shared-timeout", "1").read().warnings == ["shared-timeout has no effect without shared."]
    )
  }
}
