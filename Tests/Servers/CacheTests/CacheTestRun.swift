import EaselCore
import EaselTestSupport
import FoundationEssentials

/// Puts tests to a cache, and says what it did differently.
public struct CacheTestRun: Sendable {
  /// What is to be fetched through the cache.
  public struct Request: Sendable {
    /// The URL, the same one for all requests of a test unless it says otherwise.
    public var url: URL
    /// The method.
    public var method: String
    /// The header fields.
    public var headers: HTTPHeaders
    /// The fields that tell the server which request it is; to a cache they must make no difference.
    public var marks: HTTPHeaders
    /// The body.
    public var body: [UInt8]?
  }

  /// What the cache gave; nil for what it does not tell.
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

  /// How a test ended.
  public enum Verdict: Hashable, Sendable {
    /// The cache did what the test expects.
    case passed
    /// It did something else.
    case failed([String])
    /// What comes before the thing to be tested went otherwise already.
    case notReached([String])
  }

  private let server: CacheTestServer
  private let now: @Sendable () -> Date
  private let pause: @Sendable () async -> Void
  private let fetch: @Sendable (Request) async throws -> Response

  /// Creates a run: `pause` lets three seconds go by, in whatever way, and `fetch` asks the cache.
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

  /// What the numbers of a date count from: now, or what the server said about the version before.
  private func base(of field: CacheTestField, _ id: String, _ index: Int, in test: CacheTestCase) -> Date {
    guard test.requests[index].magicIms == true, field.name.lowercased() == "if-modified-since", index > 0,
      case .number(let seconds)? = test.requests[index - 1].responseField("Last-Modified")?.value,
      let answered = server.sightings(id).last?.date
    else { return now() }
    return answered.addingTimeInterval(Double(seconds))
  }
}
