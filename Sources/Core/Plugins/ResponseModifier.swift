/// Changes the head of a response before it is checked.
///
/// The transfer is paused meanwhile; only cancelling the load ends it. It must not block its thread.
public protocol ResponseModifier: Sendable {
  /// What tells the bytes it leads to from others; nil for "this instance only, never on disk".
  var cacheIdentity: String? { get }

  /// The head to go on with; nil ends the load.
  func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead?
}

/// A response modifier made of a closure.
public final class ClosureResponseModifier: ResponseModifier {
  /// What it was given as its identity.
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
  /// Calls `body`; without an identity what comes of it is kept in memory and for this instance only.
  public static func closure(
    cacheIdentity: String? = nil, _ body: @escaping @Sendable (ResponseHead) async throws -> ResponseHead?
  ) -> Self { ClosureResponseModifier(cacheIdentity, body) }
}

/// Reads some statuses as others, for servers that use them in a way of their own.
public struct StatusModifier: ResponseModifier {
  private let statuses: [Int: Int]

  init(_ statuses: [Int: Int]) {
    // An answer that nothing changed has no body, and is never another one.
    self.statuses = statuses.filter { $0.key != 304 && $0.value != 304 }
  }

  /// Names the statuses.
  public var cacheIdentity: String? {
    "statuses-" + statuses.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
  }

  /// Gives a status that is read as another the number of that one.
  public func modify(_ head: ResponseHead, for request: LoadRequest) -> ResponseHead? {
    var head = head
    head.status = head.status.map { statuses[$0] ?? $0 }
    return head
  }
}

extension ResponseModifier where Self == StatusModifier {
  /// Reads each status on the left as the one on the right; 304 always stays what it is.
  public static func readingStatuses(_ statuses: [Int: Int]) -> Self { StatusModifier(statuses) }
}

/// Ends a load whose response is not of a type that is wanted.
public struct ContentTypeModifier: ResponseModifier {
  private let types: [String]

  init(_ types: [String]) { self.types = types.map { ImageFormat(mimeType: $0).mimeType }.sorted() }

  /// Names the types.
  public var cacheIdentity: String? { "content-type-\(types.joined(separator: ","))" }

  /// Throws `badContentType` for another type, or none; an answer that nothing changed has no body to be of a type.
  public func modify(_ head: ResponseHead, for request: LoadRequest) throws -> ResponseHead? {
    guard head.status != 304, !types.contains(where: { covers($0, head.mimeType) }) else { return head }
    throw ImageError(
      .badContentType,
      "The server sent \(head.mimeType ?? "no type"); wanted are \(types.joined(separator: ", ")).",
      subject: request.url.absoluteString, response: head)
  }

  private func covers(_ wanted: String, _ type: String?) -> Bool {
    guard let type else { return false }
    return wanted.hasSuffix("/*") ? type.hasPrefix(wanted.dropLast()) : type == wanted
  }
}

extension ResponseModifier where Self == ContentTypeModifier {
  /// Wants one of these types; `image/*` stands for all pictures.
  public static func requiringContentType(_ types: String...) -> Self { ContentTypeModifier(types) }
}

/// Sets header fields of every response: what a server should have said.
public struct ResponseFieldsModifier: ResponseModifier {
  private let fields: HTTPHeaders

  init(_ fields: HTTPHeaders) { self.fields = fields }

  /// Names the fields and their values, by a hash.
  public var cacheIdentity: String? { "response-fields-\(fields.fingerprint)" }

  /// Replaces the fields of the same names.
  public func modify(_ head: ResponseHead, for request: LoadRequest) -> ResponseHead? {
    var head = head
    head.headers.merge(fields)
    return head
  }
}

extension ResponseModifier where Self == ResponseFieldsModifier {
  /// Sets these header fields, such as a `Content-Type` or `Cache-Control` that the server forgets.
  public static func fields(_ fields: HTTPHeaders) -> Self { ResponseFieldsModifier(fields) }
}
