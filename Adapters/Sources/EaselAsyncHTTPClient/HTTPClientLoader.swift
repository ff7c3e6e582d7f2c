import AsyncHTTPClient
import EaselCore
import EaselNIO
import FoundationEssentials
import NIOCore

/// Loads pictures over http and https with a client that the program has already.
///
/// The client must leave redirects to Easel, which gives no secrets to other servers. For pictures of strangers, also
/// limit the addresses to which it connects:
///
/// ```swift
/// var network = HTTPClient.Configuration(redirectConfiguration: .disallow)
/// network.allowConnections(only: .denyPrivate)
/// let client = HTTPClient(configuration: network)
/// configuration.loader = HTTPClientLoader(client)
/// ```
///
/// The client has the pool of connections, the proxy, TLS, and the time to connect. It does not continue a body that was
/// cut: the manager asks for it again.
public struct HTTPClientLoader: ImageLoader {
  private let client: HTTPClient
  private let configuration: Configuration
  private let clock: any ImageClock

  /// Takes a client, which the program shuts down itself.
  public init(_ client: HTTPClient, _ configuration: Configuration = Configuration()) {
    self.init(client, configuration, clock: SystemClock())
  }

  init(_ client: HTTPClient, _ configuration: Configuration, clock: any ImageClock) {
    self.client = client
    self.configuration = configuration
    self.clock = clock
  }

  /// Separates the bytes of this loader from those of others, as the configuration says.
  public var cacheIdentity: CacheIdentity { configuration.cacheIdentity }

  /// True for http and https URLs.
  public func canLoad(_ url: URL) -> Bool { Origin(url) != nil }

  /// Loads the URL of a request, and passes the response to the sink.
  public func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    let patience = Patience(configuration, clock, subject: request.url.absoluteString)
    return try await withThrowingTaskGroup(of: LoadResult.self) { group in
      group.addTask { try await follow(request, into: sink, patience) }
      group.addTask { throw try await patience.end() }
      defer { group.cancelAll() }
      guard let result = try await group.next() else { throw CancellationError() }
      return result
    }
  }

  private func follow(
    _ request: LoadRequest, into sink: any LoadSink, _ patience: Patience
  ) async throws -> LoadResult {
    var step = try RequestStep(request, configuration)
    while true {
      try Task.checkCancellation()
      let response = try await patience.whileWaiting {
        try await client.execute(step.request, deadline: .distantFuture)
      }
      try checkHistory(of: response, step)
      var head = ResponseHead(
        url: step.url, status: Int(response.status.code), headers: HTTPHeaders(response.headers))
      if let control = configuration.headers["Cache-Control"], request.headers["Cache-Control"] == nil {
        head.sentFields.add("Cache-Control", control)
      }
      guard let target = try step.redirectTarget(head) else {
        head.redirects = step.redirects
        return try await deliver(response, head, step, into: sink, patience)
      }
      // A short body is cheaper to read than the next connection is to open.
      _ = try? await patience.whileWaiting { try await response.body.collect(upTo: 16 << 10) }
      try await step.follow(head, to: target, configuration)
    }
  }

  /// Throws if the client has followed redirects, because it may have given secrets to others by then.
  private func checkHistory(of response: HTTPClientResponse, _ step: RequestStep) throws(ImageError) {
    guard response.history.count > 1 else { return }
    throw ImageError(
      .invalidRequest,
      "The client follows redirects by itself, and may send secrets to other servers. Make it with redirectConfiguration "
        + "= .disallow: the loader follows them.", subject: step.url.absoluteString)
  }

  private func deliver(
    _ response: HTTPClientResponse, _ head: ResponseHead, _ step: RequestStep, into sink: any LoadSink,
    _ patience: Patience
  ) async throws -> LoadResult {
    let subject = step.url.absoluteString
    if head.status == 304, step.wasConditional {
      guard step.isConditional else {
        throw ImageError(
          .notModified,
          "A redirect led to another URL than before, so \"not modified\" does not confirm the cached picture.",
          subject: subject, response: head)
      }
      return .notModified(head)
    }
    var body = IncomingBody(head, step, sink)
    try body.checkPacking()
    if try !sink.beginAtOnce(body.head) { try await sink.begin(body.head) }
    var pieces = response.body.makeAsyncIterator()
    while let piece = try await body.next({ try await patience.whileWaiting { try await pieces.next() } }) {
      try await body.take(piece)
    }
    // A body may end without an error because its reader was cancelled.
    try Task.checkCancellation()
    try body.checkLength()
    return .body(patience.metrics(body.count, redirects: step.redirects.count, response.version))
  }
}
