import CEaselCurlBaseline
import EaselBenchmarkHarness
import EaselCore
import EaselCurl
import Foundation
import FoundationNetworking

/// The loader, asked for everything at once.
final class LoaderClient: Sendable {
  private let loader: CurlLoader
  private let urls: [URL]
  private let bytes: Int

  init(_ load: CurlLoad) async throws {
    let (server, urls) = try await load.serve()
    var configuration = CurlLoader.Configuration()
    configuration.proxy = .direct
    configuration.maximumTransfers = load.transfers
    configuration.maximumTransfersPerHost = load.transfers
    if load.isEncrypted { configuration.certificateAuthorities = server.certificates.authorityPath }
    loader = CurlLoader(configuration)
    self.urls = urls
    bytes = load.bytes
  }

  func loadAll() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for url in urls {
        group.addTask {
          let sink = BodySink()
          _ = try await self.loader.load(LoadRequest(url: url), into: sink)
          precondition(sink.bytes.count == self.bytes, "A body is not whole.")
        }
      }
      try await group.waitForAll()
    }
  }

  /// Keeps the body in memory, as the sink of a manager does.
  private final class BodySink: LoadSink {
    let bytes = ReceivedBytes()

    func beginAtOnce(_ head: ResponseHead) throws -> Bool {
      if let length = head.expectedLength { _ = bytes.reserve(length) }
      return true
    }

    func begin(_ head: ResponseHead) async throws {}
    func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand { self.bytes.append(bytes) ? .more : .stop }
    func restart(at offset: Int) { _ = bytes.truncate(to: offset) }
  }
}

/// A C program on a thread of its own.
///
/// Unchecked because its contents never change, and only one call at a time uses them.
final class CurlClient: @unchecked Sendable {
  private let client: OpaquePointer
  private let urls: [UnsafePointer<CChar>?]
  private let bytes: Int

  init(_ load: CurlLoad) async throws {
    let (server, urls) = try await load.serve()
    let authorities = load.isEncrypted ? server.certificates.authorityPath : nil
    client = easel_baseline_client_create(CInt(load.transfers), authorities)
    self.urls = urls.map { UnsafePointer(strdup($0.absoluteString)) }
    bytes = load.bytes
  }

  deinit {
    easel_baseline_client_destroy(client)
    for url in urls { free(UnsafeMutablePointer(mutating: url)) }
  }

  func loadAll() async throws {
    await withUnsafeContinuation { continuation in
      PlainThread.start { [self] in
        let isRight = urls.withUnsafeBufferPointer {
          easel_baseline_client_load(client, $0.baseAddress, $0.count, bytes)
        }
        precondition(isRight, "A body is not whole.")
        continuation.resume()
      }
    }
  }
}

/// Foundation's own.
final class SessionClient: Sendable {
  private let session: URLSession
  private let urls: [URL]
  private let bytes: Int

  init(_ load: CurlLoad) async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = load.transfers
    configuration.urlCache = nil
    configuration.connectionProxyDictionary = [:]
    session = URLSession(configuration: configuration)
    urls = try await load.serve().urls
    bytes = load.bytes
  }

  func loadAll() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for url in urls {
        group.addTask {
          let (data, _) = try await self.session.data(from: url)
          precondition(data.count == self.bytes, "A body is not whole.")
        }
      }
      try await group.waitForAll()
    }
  }
}
