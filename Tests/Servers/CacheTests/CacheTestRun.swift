import EaselCore
import EaselTestSupport
import FoundationEssentials

/// Runs tests with a cache and reports the differences from the expected behaviour.
public struct CacheTestRun: Sendable {
  /// A request to send through the cache.
  public struct Request: Sendable {
    /// The URL; the same for all requests of a test unless the test says otherwise.
    public var url: URL
    /// The method.
    public var method: String
    /// The header fields.
    public var headers: HTTPHeaders
    /// The fields that tell the server the number of the request; the cache must ignore them.
    public var marks: HTTPHeaders
    /// The body.
    public var body: [UInt8]?
  }

  /// The response of the cache; nil for parts that the cache does not report.
  public struct Response: Sendable {
    /// The status.
    public var status: Int?
    /// The header fields.
    public var headers: HTTPHeaders?
    /// The body.
    public var body: [UInt8]?

    /// Creates a response.
    public init(status: Int? = nil, headers: HTTPHeaders? = nil, body: [UInt8]? = nil) {
      self.status = status
      self.headers = headers
      self.body = body
    }
  }

  /// The result of a test.
  public enum Verdict: Hashable, Sendable {
    /// The cache did what the test expects.
    case passed
    /// The cache did something else.
    case failed([String])
    /// The preparation of the test failed.
    case notReached([String])
  }

  private let server: CacheTestServer
  private let now: @Sendable () -> Date
  private let pause: @Sendable () async -> Void
  private let fetch: @Sendable (Request) async throws -> Response

  /// Creates a run: `pause` lets three seconds pass by any means, and `fetch` sends a request through the cache.
  public init(
    server: CacheTestServer, now: @escaping @Sendable () -> Date = { Date() },
    pause: @escaping @Sendable () async -> Void, fetch: @escaping @Sendable (Request) async throws -> Response
  ) {
    self.server = server
    self.now = now
    self.pause = pause
    self.fetch = fetch
  }

  /// Runs a test.
  public func verdict(on test: CacheTestCase) async -> Verdict {
    let id = UUID().uuidString
    server.configure(id, test.requests)
    var complaints: [CacheTestComplaint] = []
    for (index, step) in test.requests.enumerated() {
      let seen = server.sightings(id).count
      let result: Result<Response, any Error>
      do {
        result = .success(try await fetch(request(id, index, of: test)))
      } catch {
        result = .failure(error)
      }
      let check = CacheTestCheck(
        step: step, number: index + 1, sightings: Array(server.sightings(id).dropFirst(seen)), id: id, now: now())
      complaints += check.complaints(about: result)
      if step.pauseAfter == true { await pause() }
    }
    let early = complaints.filter(\.isSetup)
    if !early.isEmpty { return .notReached(early.map(\.text)) }
    return complaints.isEmpty ? .passed : .failed(complaints.map(\.text))
  }

  private func request(_ id: String, _ index: Int, of test: CacheTestCase) -> Request {
    let step = test.requests[index]
    var text = "\(server.origin)/test/\(id)"
    if let name = step.filename { text += "/\(name)" }
    if let query = step.queryArg { text += "?\(query)" }
    var headers = HTTPHeaders()
    for field in step.requestHeaders ?? [] {
      headers.add(field.name, field.text(now: base(of: field, id, index, in: test)))
    }
    return Request(
      url: URL(string: text)!, method: step.requestMethod ?? "GET", headers: headers,
      marks: ["Req-Num": "\(index + 1)", "Test-ID": test.id], body: step.requestBody.map { Array($0.utf8) })
  }

  /// The time from which a date's seconds count: now, or the time of the server's previous answer.
  private func base(of field: CacheTestField, _ id: String, _ index: Int, in test: CacheTestCase) -> Date {
    guard test.requests[index].magicIms == true, field.name.lowercased() == "if-modified-since", index > 0,
      case .number(let seconds)? = test.requests[index - 1].responseField("Last-Modified")?.value,
      let answered = server.sightings(id).last?.date
    else { return now() }
    return answered.addingTimeInterval(Double(seconds))
  }
}
