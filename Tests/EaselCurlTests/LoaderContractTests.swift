import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

@Suite(.tags(.alone), .enabled(if: NginxServer.isAvailable, "\(NginxServer.missing ?? "")"))
struct LoaderContractTests {
  @Test(arguments: [false, true])
  func theContractIsKept(isEncrypted: Bool) async throws {
    let server = try await NginxServer.shared()
    let port = try RefusingPort()
    let samples = try [1, 4096, 300_000, 3_000_000].map { count in
      let path = "/curl-contract/\(count).bin"
      try server.put(ServerBody.bytes(count), at: path)
      let url = isEncrypted ? server.secureURL(path) : server.url(path)
      return ImageLoaderContract.Sample(url, body: ServerBody.bytes(count))
    }
    try await withLoader({ $0.certificateAuthorities = server.certificates.authorityPath }) { loader in
      let contract = ImageLoaderContract(loader, samples: samples, failingURL: port.url(), patience: .seconds(30))
      let violations = await contract.check()
      #expect(violations == [])
      try Task.checkCancellation()
    }
  }

  @Test func aPausedStreamDoesNotHoldUpTheOthersOfItsConnection() async throws {
    let server = try await NginxServer.shared()
    let body = ServerBody.bytes(2_000_000)
    try server.put(body, at: "/curl-paused/a.bin")
    try await withLoader({ $0.certificateAuthorities = server.certificates.authorityPath }) { loader in
      _ = try await loader.body(server.secureURL("/ok"))
      let paused = RecordingSink(takesHeadAtOnce: true, pausesAfterEachChunk: true)
      let request = LoadRequest(url: server.secureURL("/curl-paused/a.bin"))
      let loading = Task { try await loader.load(request, into: paused) }
      await paused.waitUntilPaused()
      for _ in 0..<3 {
        let (sink, metrics) = try await loader.body(request)
        #expect(sink.body == body)
        #expect(metrics.protocolName == "HTTP/2")
      }
      #expect(paused.body.count < body.count)
      paused.resumeForGood()
      _ = try await loading.value
      #expect(paused.body == body)
    }
  }

  /// This also holds when the answer to one request comes while the previous answer is processed.
  @Test func noMoreConnectionsAreOpenedThanTransfersRunAtOnce() async throws {
    let server = try await NginxServer.shared()
    try server.put(ServerBody.bytes(4096), at: "/curl-kept/a.bin")
    try await withLoader({
      $0.maximumTransfers = 8
      $0.maximumTransfersPerHost = 8
    }) { loader in
      let opened = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<400 {
          group.addTask { try await !loader.body(server.url("/curl-kept/a.bin")).metrics.reusedConnection }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect((1...8).contains(opened))
    }
  }

  @Test func manyStreamsShareOneConnection() async throws {
    let server = try await NginxServer.shared()
    try await withLoader({
      $0.certificateAuthorities = server.certificates.authorityPath
      $0.maximumTransfers = 20
      $0.maximumTransfersPerHost = 20
    }) { loader in
      let answers = try await withThrowingTaskGroup(of: [UInt8].self) { group in
        for _ in 0..<40 { group.addTask { try await loader.body(server.secureURL("/protocol")).sink.body } }
        return try await group.reduce(into: [String]()) { $0.append(String(decoding: $1, as: UTF8.self)) }
      }
      #expect(answers.allSatisfy { $0.hasPrefix("HTTP/2.0") })
      #expect(Set(answers.map { $0.split(separator: " ")[1] }).count == 1)
    }
  }

  @Test func connectionsAreKeptAndMeasured() async throws {
    let server = try await NginxServer.shared()
    try await withLoader { loader in
      let first = try await loader.body(server.url("/ok")).metrics
      #expect(!first.reusedConnection)
      #expect(first.protocolName == "HTTP/1.1")
      #expect(first.secureConnect == nil)
      #expect(first.bytesReceived > 2)
      let connect = try #require(first.connect)
      let firstByte = try #require(first.firstByte)
      #expect(connect <= firstByte && firstByte <= first.total)
      let second = try await loader.body(server.url("/ok")).metrics
      #expect(second.reusedConnection)
    }
  }
}
