import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselS3

@Suite(.tags(.alone), .enabled(if: MotoServer.isAvailable, "\(MotoServer.missing ?? "")"))
struct S3LoaderTests {
  private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

  @Test func itKeepsTheContractOfLoaders() async throws {
    let server = S3Testing.server(try await MotoServer.shared().url)
    let bucket = try await S3Testing.bucket(server)
    var samples: [ImageLoaderContract.Sample] = []
    for (name, count) in [("small.png", 10), ("large.png", 300_000)] {
      try await S3Testing.put(Self.bytes(count), S3Location(bucket: bucket, key: name), server)
      samples.append(.init(URL(string: "s3://\(bucket)/\(name)")!, body: Self.bytes(count)))
    }
    let contract = ImageLoaderContract(
      S3Loader(server), samples: samples, failingURL: URL(string: "s3://\(bucket)/%00%FF")!)
    #expect(await contract.check() == [])
  }

  @Test(arguments: ["a b+c=d*e.png", "ü/ß%.png", "a//b/../c.png", "q?#&.png", "~-._!'().png"])
  func namesOfAllKindsAreFound(_ name: String) async throws {
    let server = S3Testing.server(try await MotoServer.shared().url)
    let bucket = try await S3Testing.bucket(server)
    try await S3Testing.put([1, 2, 3], S3Location(bucket: bucket, key: name), server)
    let sink = RecordingSink()
    let url = try #require(URL(string: "s3://\(bucket)/\(S3Escaping.path(name))"))
    _ = try await S3Loader(server).load(LoadRequest(url: url), into: sink)
    #expect(sink.body == [1, 2, 3])
  }

  @Test func theManagerGetsTheHeadOfAMissingObject() async throws {
    let server = S3Testing.server(try await MotoServer.shared().url)
    let bucket = try await S3Testing.bucket(server)
    let sink = RecordingSink()
    _ = try await S3Loader(server).load(LoadRequest(url: URL(string: "s3://\(bucket)/none")!), into: sink)
    #expect(sink.head?.status == 404)
  }

  @Test func anUnchangedObjectIsNotSentAgain() async throws {
    let server = S3Testing.server(try await MotoServer.shared().url)
    let bucket = try await S3Testing.bucket(server)
    try await S3Testing.put([1, 2, 3], S3Location(bucket: bucket, key: "a"), server)
    let url = URL(string: "s3://\(bucket)/a")!
    let sink = RecordingSink()
    let loader = S3Loader(server)
    _ = try await loader.load(LoadRequest(url: url), into: sink)
    let tag = try #require(sink.head?.headers["ETag"])
    let result = try await loader.load(
      LoadRequest(url: url, headers: ["If-None-Match": tag]), into: RecordingSink())
    guard case .notModified = result else {
      Issue.record("The object was sent again.")
      return
    }
  }

  /// Google's server takes the same signatures in a region of its own, with the bucket in the path.
  @Test func objectsOfGoogleAreLoaded() async throws {
    let url = try await MotoServer.shared().url
    let server = S3Testing.server(url)
    let bucket = try await S3Testing.bucket(server)
    try await S3Testing.put([1, 2, 3], S3Location(bucket: bucket, key: "a b.png"), server)
    let loader = S3Loader(.google(credentials: .fixed(S3Testing.credentials), endpoint: url))
    let sink = RecordingSink()
    let source = try #require(URL(string: "gs://\(bucket)/a%20b.png"))
    _ = try await loader.load(LoadRequest(url: source), into: sink)
    #expect(sink.body == [1, 2, 3])
    #expect(loader.canLoad(source) && !loader.canLoad(URL(string: "s3://\(bucket)/a")!))
    #expect(loader.cacheIdentity != S3Loader(server).cacheIdentity)
    let google = S3Configuration.google(credentials: .anonymous)
    let target = try S3ObjectURL(S3Location(bucket: "b.c", key: "d"), google, region: google.region)
    #expect(target.url?.absoluteString == "https://storage.googleapis.com/b.c/d")
    await #expect(throws: ImageError.self) {
      try await loader.load(LoadRequest(url: URL(string: "s3://\(bucket)/a")!), into: RecordingSink())
    }
  }

  @Test(arguments: ["s3://bucket", "s3:///key", "s3://a_b!c/key", "http://a/b", "s3://bucket/"])
  func whatIsNoObjectIsRefused(_ text: String) async throws {
    let url = try #require(URL(string: text))
    await #expect(throws: ImageError.self) {
      try await S3Loader(S3Testing.server(URL(string: "http://127.0.0.1:1")!)).load(
        LoadRequest(url: url), into: RecordingSink())
    }
  }

  @Test func theCredentialsKeepBytesApart() {
    let url = URL(string: "http://127.0.0.1:1")!
    var other = S3Testing.server(url)
    other.credentials = .fixed(S3Credentials(accessKeyID: "other", secretAccessKey: "secret"))
    #expect(S3Loader(S3Testing.server(url)).cacheIdentity != S3Loader(other).cacheIdentity)
  }
}
