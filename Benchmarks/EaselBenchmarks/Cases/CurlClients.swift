import CEaselCurlBaseline
import EaselCore
import EaselCurl
import EaselHTTP
import EaselManager
import Foundation
import FoundationNetworking

/// A client with Easel's loader.
final class LoaderClient: Sendable {
  private let loader: CurlLoader
  private let files: CurlFiles
  private let urls: [URL]

  init(_ files: CurlFiles) {
    var configuration = CurlLoader.Configuration()
    configuration.proxy = .direct
    configuration.maximumTransfers = files.transfers
    configuration.maximumTransfersPerHost = files.transfers
    configuration.certificateAuthorities = files.authorities
    loader = CurlLoader(configuration)
    self.files = files
    urls = files.urls
  }

  func loadAll() async throws {
    try await files.share { [self] index in
      let sink = BodySink()
      _ = try await loader.load(LoadRequest(url: urls[index]), into: sink)
      precondition(sink.bytes.count == files.bytes, "A body is not whole.")
    }
  }

  /// Keeps the body in memory, like the manager's sink.
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

/// A client in C that uses curl's multi interface.
///
/// It is unchecked because its contents never change and only one call at a time uses them.
final class CurlClient: @unchecked Sendable {
  private let client: OpaquePointer
  private let urls: [UnsafePointer<CChar>?]
  private let bytes: Int

  init(_ files: CurlFiles) {
    client = easel_baseline_client_create(CInt(files.transfers), files.authorities)
    urls = files.urls.map { UnsafePointer(strdup($0.absoluteString)) }
    bytes = files.bytes
  }

  deinit {
    easel_baseline_client_destroy(client)
    for url in urls { free(UnsafeMutablePointer(mutating: url)) }
  }

  func loadAll() throws {
    let isRight = urls.withUnsafeBufferPointer { easel_baseline_client_load(client, $0.baseAddress, $0.count, bytes) }
    precondition(isRight, "A body is not whole.")
  }
}

/// A client with Foundation's URLSession.
final class FoundationClient: Sendable {
  private let loader: URLSession
  private let files: CurlFiles
  private let urls: [URL]

  init(_ files: CurlFiles) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = files.transfers
    configuration.urlCache = nil
    configuration.connectionProxyDictionary = [:]
    loader = URLSession(configuration: configuration)
    self.files = files
    urls = files.urls
  }

  func loadAll() async throws {
    try await files.share { [self] index in
      let (data, _) = try await loader.data(from: urls[index])
      precondition(data.count == files.bytes, "A body is not whole.")
    }
  }
}
