import AsyncHTTPClient
import EaselCore
import EaselTestSupport
import NIOCore

@testable import EaselAsyncHTTPClient

/// Runs a body with a loader whose client ends afterwards.
func withLoader<Value>(
  _ settings: HTTPClientLoader.Configuration = .init(), clock: any ImageClock = SystemClock(),
  client configure: (inout HTTPClient.Configuration) -> Void = { _ in },
  _ body: (HTTPClientLoader) async throws -> Value
) async throws -> Value {
  var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
  configuration.connectionPool.retryConnectionEstablishment = false
  configure(&configuration)
  let client = HTTPClient(configuration: configuration)
  do {
    let value = try await body(HTTPClientLoader(client, settings, clock: clock))
    try await client.shutdown()
    return value
  } catch {
    try await client.shutdown()
    throw error
  }
}

extension HTTPClientLoader {
  /// The error of a load that must fail.
  func failure(
    _ request: LoadRequest, into sink: RecordingSink = RecordingSink(takesHeadAtOnce: true)
  ) async -> ImageError? {
    do {
      _ = try await load(request, into: sink)
      return nil
    } catch {
      return error as? ImageError
    }
  }

  /// The body and the head of a load.
  func fetch(_ request: LoadRequest) async throws -> (body: [UInt8], head: ResponseHead?) {
    let sink = RecordingSink(takesHeadAtOnce: true)
    _ = try await load(request, into: sink)
    return (sink.body, sink.head)
  }
}
