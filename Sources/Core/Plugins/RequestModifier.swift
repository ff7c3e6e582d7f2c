/// Changes a request before it is sent: signs it, adds a token, points it elsewhere.
///
/// It may wait as long as it must, and only cancelling the load ends that. It must not block its thread.
public protocol RequestModifier: Sendable {
  /// What tells the bytes it leads to from others; nil for "this instance only, never on disk".
  ///
  /// The key of a picture is made before the modifier runs, so this must name all that it adds and that decides what
  /// comes back: a modifier that sends a user's token names the user, or a hash of the token. Two users under one
  /// identity are served each other's pictures, and so are two users of one instance without an identity: give each
  /// user an instance.
  var cacheIdentity: String? { get }

  /// The request to send; nil ends the load.
  func modify(_ request: LoadRequest) async throws -> LoadRequest?
}

/// A request modifier made of a closure.
public final class ClosureRequestModifier: RequestModifier {
  /// What it was given as its identity.
  public let cacheIdentity: String?
  private let body: @Sendable (LoadRequest) async throws -> LoadRequest?

  init(_ cacheIdentity: String?, _ body: @escaping @Sendable (LoadRequest) async throws -> LoadRequest?) {
    self.cacheIdentity = cacheIdentity
    self.body = body
  }

  /// Calls the closure.
  public func modify(_ request: LoadRequest) async throws -> LoadRequest? { try await body(request) }
}

extension RequestModifier where Self == ClosureRequestModifier {
  /// Calls `body`; without an identity what comes of it is kept in memory and for this instance only.
  public static func closure(
    cacheIdentity: String? = nil, _ body: @escaping @Sendable (LoadRequest) async throws -> LoadRequest?
  ) -> Self { ClosureRequestModifier(cacheIdentity, body) }
}

/// Adds header fields to every request; fields and values are part of the cache key.
public struct HeadersModifier: RequestModifier {
  private let headers: HTTPHeaders

  init(_ headers: HTTPHeaders) { self.headers = headers }

  /// Names the fields and their values, by a hash, for they may be secret and keys are stored.
  public var cacheIdentity: String? { "headers-\(headers.fingerprint)" }

  /// Replaces the fields of the same names.
  public func modify(_ request: LoadRequest) -> LoadRequest? {
    var request = request
    request.headers.merge(headers)
    return request
  }
}

extension RequestModifier where Self == HeadersModifier {
  /// Adds these header fields.
  public static func headers(_ headers: HTTPHeaders) -> Self { HeadersModifier(headers) }
}

extension HTTPHeaders {
  /// Names the fields and their values by a hash.
  var fingerprint: String {
    // Framed, since a value may contain what looks like the next field.
    var bytes: [UInt8] = []
    for field in fields {
      KeyFraming.append(HTTPHeaders.folded(field.name), to: &bytes)
      KeyFraming.append(field.value, to: &bytes)
    }
    return hexadecimal(SHA256.hash(bytes))
  }
}
