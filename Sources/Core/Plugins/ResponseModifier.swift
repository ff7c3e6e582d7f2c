/// Changes the head of a response before it is checked.
///
/// The transfer is paused until the modifier returns, and only cancelling the load ends the wait. A modifier must not
/// block its thread.
public protocol ResponseModifier: Sendable {
  /// Identifies the resulting bytes in cache keys; nil means "this instance only, never on disk".
  var cacheIdentity: String? { get }

  /// Returns the head to continue with; nil ends the load.
  func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead?
}

/// A response modifier made of a closure.
public final class ClosureResponseModifier: ResponseModifier {
  /// The identity that the modifier was created with.
  public let cacheIdentity: String?
  private let body: @Sendable (ResponseHead) async throws -> ResponseHead?

  init(_ cacheIdentity: String?, _ body: @escaping @Sendable (ResponseHead) async throws -> ResponseHead?) {
    self.cacheIdentity = cacheIdentity
    self.body = body
  }

  /// Calls the closure.
  public func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead? {
    try await body(head)
  }
}

extension ResponseModifier where Self == ClosureResponseModifier {
  /// Calls `body`.
  ///
  /// Without an identity the resulting pictures are kept only in memory and for this instance.
  public static func closure(
    cacheIdentity: String? = nil, _ body: @escaping @Sendable (ResponseHead) async throws -> ResponseHead?
  ) -> Self { ClosureResponseModifier(cacheIdentity, body) }
}

/// Replaces status codes, for servers that use them in unusual ways.
public struct StatusModifier: ResponseModifier {
  private let statuses: [Int: Int]

  init(_ statuses: [Int: Int]) {
    // A 304 response has no body and must keep its meaning.
    self.statuses = statuses.filter { $0.key != 304 && $0.value != 304 }
  }

  /// Identifies the replaced status codes.
  public var cacheIdentity: String? {
    "statuses-" + statuses.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
  }

  /// Replaces the status code if it has a replacement.
  public func modify(_ head: ResponseHead, for request: LoadRequest) -> ResponseHead? {
    var head = head
    head.status = head.status.map { statuses[$0] ?? $0 }
    return head
  }
}

extension ResponseModifier where Self == StatusModifier {
  /// Treats each status code on the left as the one on the right; 304 always stays unchanged.
  public static func readingStatuses(_ statuses: [Int: Int]) -> Self { StatusModifier(statuses) }
}

/// Rejects responses whose content type is not wanted.
public struct ContentTypeModifier: ResponseModifier {
  private let types: [String]

  init(_ types: [String]) { self.types = types.map { ImageFormat(mimeType: $0).mimeType }.sorted() }

  /// Identifies the wanted types.
  public var cacheIdentity: String? { "content-type-\(types.joined(separator: ","))" }

  /// Throws `badContentType` for another type or none.
  ///
  /// A 304 response has no body, so it always passes.
  public func modify(_ head: ResponseHead, for request: LoadRequest) throws -> ResponseHead? {
    guard head.status != 304, !types.contains(where: { covers($0, head.mimeType) }) else { return head }
    throw ImageError(
      .badContentType,
      "The server sent \(head.mimeType ?? "no type"), but only \(types.joined(separator: ", ")) is accepted.",
      subject: request.url.absoluteString, response: head)
  }

  private func covers(_ wanted: String, _ type: String?) -> Bool {
    guard let type else { return false }
    return wanted.hasSuffix("/*") ? type.hasPrefix(wanted.dropLast()) : type == wanted
  }
}

extension ResponseModifier where Self == ContentTypeModifier {
  /// Requires one of these content types; `image/*` stands for all pictures.
  public static func requiringContentType(_ types: String...) -> Self { ContentTypeModifier(types) }
}

/// Sets header fields of every response, to correct a server.
public struct ResponseFieldsModifier: ResponseModifier {
  private let fields: HTTPHeaders

  init(_ fields: HTTPHeaders) { self.fields = fields }

  /// Identifies the fields and their values by a hash.
  public var cacheIdentity: String? { "response-fields-\(fields.fingerprint)" }

  /// Replaces the fields of the same names.
  public func modify(_ head: ResponseHead, for request: LoadRequest) -> ResponseHead? {
    var head = head
    head.headers.merge(fields)
    return head
  }
}

extension ResponseModifier where Self == ResponseFieldsModifier {
  /// Sets these header fields, such as a `Content-Type` or `Cache-Control` that the server does not send.
  public static func fields(_ fields: HTTPHeaders) -> Self { ResponseFieldsModifier(fields) }
}
