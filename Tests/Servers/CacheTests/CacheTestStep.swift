/// One request of a cache test, the server's answer, and the expected result.
///
/// The member names are those of the public suite of cache tests, so that its files can be read.
public struct CacheTestStep: Sendable, Decodable {
  /// The expected way of answering a request.
  public enum Outcome: String, Sendable, Decodable {
    /// The request does not reach the server.
    case cached
    /// The server sends a full answer.
    case notCached = "not_cached"
    /// The server gets an entity tag and answers that nothing changed.
    case tagValidated = "etag_validated"
    /// The server gets a date and answers that nothing changed.
    case dateValidated = "lm_validated"
  }

  /// A status and its reason phrase.
  public struct Status: Sendable, Decodable {
    /// The status code.
    public var code: Int
    /// The reason phrase.
    public var phrase: String

    /// Reads a list of both.
    public init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      code = try list.decode(Int.self)
      phrase = list.isAtEnd ? "" : try list.decode(String.self)
    }
  }

  /// An interim response.
  public struct Interim: Sendable, Decodable {
    /// The status, such as 103.
    public var code: Int
    /// Its header fields.
    public var headers: [CacheTestField]

    /// Reads a list of both.
    public init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      code = try list.decode(Int.self)
      headers = list.isAtEnd ? [] : try list.decode([CacheTestField].self)
    }
  }

  var requestMethod: String?
  var requestHeaders: [CacheTestField]?
  var requestBody: String?
  var queryArg: String?
  var filename: String?
  var pauseAfter: Bool?
  var disconnect: Bool?
  var magicLocations: Bool?
  var magicIms: Bool?
  var rfc850date: [String]?
  var responsePause: Double?
  var interimResponses: [Interim]?
  var responseStatus: Status?
  var responseHeaders: [CacheTestField]?
  var responseBody: String?
  var expectedType: Outcome?
  var expectedMethod: String?
  var expectedStatus: CacheTestExpectation<Int>
  var expectedRequestHeaders: [CacheTestField]?
  var expectedRequestHeadersMissing: [CacheTestField]?
  var expectedResponseHeaders: [CacheTestField]?
  var expectedResponseHeadersMissing: [CacheTestField]?
  var expectedResponseText: CacheTestExpectation<String>
  /// Ignored: the manager does not report interim responses.
  var expectedInterimResponses: [Interim]?
  var checkBody: Bool?
  var setup: Bool?
  var setupTests: [String]?
  var mode: String?
  var credentials: String?
  var cache: String?
  /// Ignored: a followed redirect has another status than the expected one.
  var redirect: String?
  var name: String?
  var id: String?
  var dump: Bool?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case requestMethod = "request_method"
    case requestHeaders = "request_headers"
    case requestBody = "request_body"
    case queryArg = "query_arg"
    case filename
    case pauseAfter = "pause_after"
    case disconnect
    case magicLocations = "magic_locations"
    case magicIms = "magic_ims"
    case rfc850date
    case responsePause = "response_pause"
    case interimResponses = "interim_responses"
    case responseStatus = "response_status"
    case responseHeaders = "response_headers"
    case responseBody = "response_body"
    case expectedType = "expected_type"
    case expectedMethod = "expected_method"
    case expectedStatus = "expected_status"
    case expectedRequestHeaders = "expected_request_headers"
    case expectedRequestHeadersMissing = "expected_request_headers_missing"
    case expectedResponseHeaders = "expected_response_headers"
    case expectedResponseHeadersMissing = "expected_response_headers_missing"
    case expectedResponseText = "expected_response_text"
    case expectedInterimResponses = "expected_interim_responses"
    case checkBody = "check_body"
    case setup
    case setupTests = "setup_tests"
    case mode, credentials, cache, redirect, name, id, dump
  }

  /// True when the test needs features that only browsers offer.
  var needsBrowser: Bool {
    mode != nil || credentials != nil || cache.map { $0 != "default" } ?? false
  }

  /// The first field of this name in the server's answer.
  func responseField(_ name: String) -> CacheTestField? {
    responseHeaders?.first { $0.name.lowercased() == name.lowercased() }
  }
}
