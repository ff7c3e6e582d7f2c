import EaselSupport

/// Changes a request before it is sent, for example to sign it, to add a token or to redirect it.
///
/// A modifier may wait as long as it must; only cancelling the load ends the wait. It must not block its thread.
///
/// ```swift
/// configuration.requestModifier = .headers(["X-Token": "secret"])
/// ```
public protocol RequestModifier: Sendable {
  /// Separates the bytes of modified requests from others in cache keys.
  ///
  /// The key of a picture is made before the modifier runs. The identity must therefore name everything that the
  /// modifier adds and that affects the response: a modifier that sends a user's token names the user, or a hash of the
  /// token. Two users with the same identity get each other's pictures, and so do two users of one instance whose
  /// identity is ``CacheIdentity/instance``: give each user an instance.
  var cacheIdentity: CacheIdentity { get }

  /// Returns the request to send; nil ends the load.
  func modify(_ request: LoadRequest) async throws -> LoadRequest?
}

extension ClosurePlugin: RequestModifier where Call == @Sendable (LoadRequest) async throws -> LoadRequest? {
  /// The identity that the modifier was created with.
  public var cacheIdentity: CacheIdentity { identity }

  /// Calls the closure.
  public func modify(_ request: LoadRequest) async throws -> LoadRequest? { try await call(request) }
}

extension RequestModifier where Self == ClosurePlugin<@Sendable (LoadRequest) async throws -> LoadRequest?> {
  /// Modifies each request with `body`.
  ///
  /// The identity names what the closure does. Closures with the same name share work and cached pictures, even if each
  /// request makes a new one. Without a name, pictures are kept only in memory and only for this instance.
  public static func closure(
    cacheIdentity: CacheIdentity = .instance, _ body: @escaping @Sendable (LoadRequest) async throws -> LoadRequest?
  ) -> Self { ClosurePlugin(cacheIdentity, body) }

  /// Adds these header fields to every request, in place of fields of the same names.
  ///
  /// Their names and values are part of the cache key.
  public static func headers(_ headers: HTTPHeaders) -> Self {
    // The identity contains only a hash of the fields: they may be secret, but keys are stored.
    ClosurePlugin(.named("headers-\(headers.fingerprint)")) { request in
      var request = request
      request.headers.merge(headers)
      return request
    }
  }
}

extension HTTPHeaders {
  /// Identifies the fields and their values by a hash.
  var fingerprint: String {
    // Each name and value is framed, because a value may contain text that looks like the next field.
    var bytes: [UInt8] = []
    for field in fields {
      KeyFraming.append(HTTPHeaders.folded(field.name), to: &bytes)
      KeyFraming.append(field.value, to: &bytes)
    }
    return hexadecimal(SHA256.hash(bytes))
  }
}
