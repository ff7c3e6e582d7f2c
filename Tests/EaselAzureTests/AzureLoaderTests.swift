import EaselCore
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselAzure

@Suite(.tags(.alone)) struct AzureLoaderTests {
  private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

  private static func key() throws -> AzureCredential { try #require(AzureCredential.key(AzureServer.key)) }

  @Test func itKeepsTheContractOfLoaders() async throws {
    let (small, large) = (Self.bytes(10), Self.bytes(300_000))
    let server = try AzureServer(
      ["photos/small.png": .file(ServerFile(small)), "photos/large.png": .file(ServerFile(large))], for: .key)
    defer { server.close() }
    let contract = ImageLoaderContract(
      AzureLoader(server.configuration(try Self.key())),
      samples: [
        .init(URL(string: "azure://photos/small.png")!, body: small),
        .init(URL(string: "azure://photos/large.png")!, body: large),
      ], failingURL: URL(string: "azure://photos/%00")!)
    #expect(await contract.check() == [])
  }

  @Test func eachCredentialIsSentAsAzureWantsIt() async throws {
    let token = try #require(AzureCredential.token("?" + AzureServer.token))
    for (access, credential) in [
      (AzureServer.Access.everybody, AzureCredential.anonymous), (.key, try Self.key()), (.token, token),
    ] {
      let server = try AzureServer(["photos/a%20b.png": .always(.reply(body: [1, 2, 3]))], for: access)
      defer { server.close() }
      let sink = RecordingSink()
      let url = URL(string: "azure://photos/a%20b.png")!
      _ = try await AzureLoader(server.configuration(credential)).load(LoadRequest(url: url), into: sink)
      #expect(sink.head?.status == 200 && sink.body == [1, 2, 3], "\(access)")
      // The token is a secret, and the head goes into caches and logs.
      #expect(sink.head?.url?.absoluteString.contains("sig") == false)
      let other = RecordingSink()
      let wrong = try #require(AzureCredential.key("d3Jvbmc="))
      _ = try await AzureLoader(server.configuration(wrong)).load(LoadRequest(url: url), into: other)
      #expect(other.head?.status == 403, "\(access)")
    }
  }

  @Test func anUnchangedBlobIsNotSentAgain() async throws {
    let server = try AzureServer(["photos/a": .file(ServerFile([1, 2, 3]))], for: .key)
    defer { server.close() }
    let loader = AzureLoader(server.configuration(try Self.key()))
    let result = try await loader.load(
      LoadRequest(url: URL(string: "azure://photos/a")!, headers: ["If-None-Match": "\"first\""]),
      into: RecordingSink())
    guard case .notModified = result else {
      Issue.record("The blob was sent again.")
      return
    }
  }

  /// Azure signs the range, so the request for the rest has a signature of its own.
  @Test func aCutTransferIsResumed() async throws {
    let body = Self.bytes(100_000)
    let file = ServerFile(body)
    let whole = [
      ("ETag", "\"first\""), ("Accept-Ranges", "bytes"), ("Content-Length", "\(body.count)"),
    ]
    let cut = ServerScript([.head(200, whole), .send(Array(body.prefix(40_000)))])
    let route = ServerRoute { $0.visit == 0 ? cut : file.answer(to: $0) }
    let server = try AzureServer(["photos/a": route], for: .key)
    defer { server.close() }
    let sink = RecordingSink()
    _ = try await AzureLoader(server.configuration(try Self.key())).load(
      LoadRequest(url: URL(string: "azure://photos/a")!), into: sink)
    #expect(sink.body == body)
    let ranges = server.requests.map { $0.headers["Range"] }
    #expect(ranges == [nil, "bytes=40000-"])
    #expect(Set(server.requests.map { $0.headers["Authorization"] }).count == 2)
  }

  @Test func aRedirectIsNotFollowed() async throws {
    let server = try AzureServer(["photos/a": .always(.redirect(to: "/elsewhere"))], for: .key)
    defer { server.close() }
    await #expect(throws: ImageError.self) {
      try await AzureLoader(server.configuration(try Self.key())).load(
        LoadRequest(url: URL(string: "azure://photos/a")!), into: RecordingSink())
    }
    #expect(server.requests.count == 1)
  }

  @Test func theAccountKeepsBytesApartAndTheKeyDoesNot() throws {
    let one = AzureConfiguration(account: "one", credential: try Self.key())
    var other = one
    other.credential = try #require(AzureCredential.key("b3RoZXI="))
    #expect(AzureLoader(one).cacheIdentity == AzureLoader(other).cacheIdentity)
    other.account = "two"
    #expect(AzureLoader(one).cacheIdentity != AzureLoader(other).cacheIdentity)
  }
}
