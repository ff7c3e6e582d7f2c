/// Changes the head of a response before it is checked.
///
/// The transfer is paused until the modifier returns, and only cancelling the load ends the wait. A modifier must not
/// block its thread.
///
/// ```swift
/// configuration.responseModifier = .requiringContentType("image/*")
/// ```
public protocol ResponseModifier: Sendable {
  /// Separates the bytes of modified responses from others in cache keys.
  var cacheIdentity: CacheIdentity { get }

  /// Returns the head to continue with; nil ends the load.
  func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead?
}

extension ClosurePlugin: ResponseModifier
where Call == @Sendable (ResponseHead, LoadRequest) async throws -> ResponseHead? {
  /// The identity that the modifier was created with.
  public var cacheIdentity: CacheIdentity { identity }

  /// Calls the closure.
  public func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead? {
    try await call(head, request)
  }
}

extension ResponseModifier
where Self == ClosurePlugin<@Sendable (ResponseHead, LoadRequest) async throws -> ResponseHead?> {
  /// Modifies each head with `body`.
  ///
  /// The identity names what the closure does. Closures with the same name share work and cached pictures, even if each
  /// request makes a new one. Without a name, pictures are kept only in memory and only for this instance.
  public static func closure(
    cacheIdentity: CacheIdentity = .instance, _ body: @escaping @Sendable (ResponseHead) async throws -> ResponseHead?
  ) -> Self {
    ClosurePlugin(cacheIdentity) { head, _ in try await body(head) }
  }

  /// Treats each status code on the left as the one on the right, for servers that use codes in unusual ways.
  ///
  /// 304 always stays unchanged: such a response has no body and must keep its meaning.
  public static func readingStatuses(_ statuses: [Int: Int]) -> Self {
    let statuses = statuses.filter { $0.key != 304 && $0.value != 304 }
    let pairs = statuses.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
    return ClosurePlugin(.named("statuses-\(pairs.joined(separator: ","))")) { head, _ in
      var head = head
      head.status = head.status.map { statuses[$0] ?? $0 }
      return head
    }
  }

  /// Requires one of these content types; `image/*` stands for all pictures.
  ///
  /// A response with another type or without a type fails with `badContentType`. A 304 response always passes, because
  /// it has no body.
  public static func requiringContentType(_ types: String...) -> Self {
    let types = types.map { ImageFormat(mimeType: $0).mimeType }.sorted()
    return ClosurePlugin(.named("content-type-\(types.joined(separator: ","))")) { head, request in
      guard head.status != 304, !types.contains(where: { covers($0, head.mimeType) }) else { return head }
      throw ImageError(
        .badContentType,
        "The server sent \(head.mimeType ?? "no type"), but only \(types.joined(separator: ", ")) is accepted.",
        subject: request.url.absoluteString, response: head)
    }
  }

  private static func covers(_ wanted: String, _ type: String?) -> Bool {
    guard let type else { return false }
    return wanted.hasSuffix("/*") ? type.hasPrefix(wanted.dropLast()) : type == wanted
  }

  /// Sets these header fields of every response, such as a `Content-Type` or `Cache-Control` that the server omits.
  public static func fields(_ fields: HTTPHeaders) -> Self {
    ClosurePlugin(.named("response-fields-\(fields.fingerprint)")) { head, _ in
      var head = head
      head.headers.merge(fields)
      return head
    }
  }
}
