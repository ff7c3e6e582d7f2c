import EaselCore
import FoundationEssentials
import Testing

@testable import EaselS3

@Suite struct S3AddressTests {
  private func target(
    _ url: String, endpoint: String? = nil, region: String = "eu-central-1", style: S3Configuration.Addressing? = nil
  ) throws -> String {
    var configuration = S3Configuration(
      region: region, endpoint: endpoint.flatMap { URL(string: $0) }, credentials: .anonymous, environment: [:])
    configuration.addressing = style
    let location = try #require(URL(string: url).flatMap { S3Location($0) })
    let target = try S3ObjectURL(location, configuration, region: region)
    return target.origin + target.path
  }

  @Test func theBucketIsInTheHostAtAmazon() throws {
    #expect(try target("s3://bucket/a/b.png") == "https://bucket.s3.eu-central-1.amazonaws.com/a/b.png")
    #expect(try target("s3://bucket/a", style: .path) == "https://s3.eu-central-1.amazonaws.com/bucket/a")
    #expect(try target("s3://bu.cket/a") == "https://s3.eu-central-1.amazonaws.com/bu.cket/a")
    #expect(try target("s3://bucket/a", region: "cn-north-1") == "https://bucket.s3.cn-north-1.amazonaws.com.cn/a")
  }

  @Test func theBucketIsInThePathElsewhere() throws {
    #expect(try target("s3://bucket/a", endpoint: "http://127.0.0.1:9000") == "http://127.0.0.1:9000/bucket/a")
    #expect(try target("s3://bucket/a", endpoint: "https://h:443/s3") == "https://h/s3/bucket/a")
    #expect(try target("s3://bucket/a", endpoint: "http://h", style: .host) == "http://bucket.h/a")
    #expect(try target("s3://bucket/a", endpoint: "http://[::1]:9000") == "http://[::1]:9000/bucket/a")
  }

  @Test func aStoreIsMadeOfAURL() throws {
    let url = try #require(
      URL(string: "s3://bucket/pictures/small?endpoint=http%3A%2F%2F127.0.0.1%3A9000&region=eu-west-1&style=host"))
    let configuration = try S3Store.Configuration(url: url)
    #expect(configuration.bucket == "bucket")
    #expect(configuration.prefix == "pictures/small")
    #expect(configuration.server.region == "eu-west-1")
    #expect(configuration.server.endpoint?.absoluteString == "http://127.0.0.1:9000")
    #expect(configuration.server.addressing == .host)
    #expect(try S3Store.Configuration(url: URL(string: "s3://bucket")!).prefix == "easel")
  }

  @Test(arguments: [
    "s3://b/x", "s3://bucket/x?style=odd", "s3://bucket/x?endpoint=ftp%3A%2F%2Fa", "s3://bucket/x?colour=red",
    "http://bucket/x", "s3://key:secret@bucket/x", "s3://bucket/x?region",
  ])
  func aURLThatIsNoStoreIsRefusedWithoutItsParameters(_ text: String) throws {
    let url = try #require(URL(string: text))
    let error = try #require(throws: ImageError.self) { try S3Store.Configuration(url: url) }
    #expect(!"\(error)".contains("=red"))
  }
}
