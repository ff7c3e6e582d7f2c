import EaselCore
import EaselTestServers
import FoundationEssentials

@testable import EaselS3

/// What the tests of S3 share: a server that behaves as S3 does, and buckets on it.
enum S3Testing {
  static let credentials = S3Credentials(accessKeyID: "id", secretAccessKey: "secret")

  static func server(_ url: URL) -> S3Configuration {
    S3Configuration(region: "us-east-1", endpoint: url, credentials: .fixed(credentials), environment: [:])
  }

  /// A store in a new bucket of moto.
  static func store(clearDelay: Duration = .zero) async throws -> S3Store {
    try S3Store(await configuration(clearDelay: clearDelay))
  }

  static func configuration(clearDelay: Duration = .zero) async throws -> S3Store.Configuration {
    let server = server(try await MotoServer.shared().url)
    var configuration = S3Store.Configuration(bucket: try await bucket(server), server: server)
    configuration.clearDelay = clearDelay
    return configuration
  }

  /// The name of a new bucket.
  static func bucket(_ server: S3Configuration) async throws -> String {
    let name = "bucket-\(UInt64.random(in: 0 ... .max))"
    // A bucket is made by a PUT of its own address, which is that of an object without a name.
    let answer = try await S3Client(server, resumeStore: nil)
      .send(.init(location: S3Location(bucket: name, key: ""), method: "PUT"), limit: S3Fault.longest)
    guard answer.status == 200 else { throw S3Fault.error(answer, "make", name) }
    return name
  }

  /// Puts an object into a bucket.
  static func put(_ bytes: [UInt8], _ location: S3Location, _ server: S3Configuration) async throws {
    let answer = try await S3Client(server, resumeStore: nil)
      .send(
        .init(location: location, method: "PUT", headers: ["Content-Type": "image/png"], body: Data(bytes)),
        limit: S3Fault.longest)
    guard answer.status == 200 else { throw S3Fault.error(answer, "write", location.key) }
  }
}
