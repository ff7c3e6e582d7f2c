/// Adds header fields to every request.
public struct HeadersModifier: RequestModifier {
  private let headers: HTTPHeaders

  init(_ headers: HTTPHeaders) { self.headers = headers }

  /// Names the fields and their values.
  public var cacheIdentity: String? {
    "headers" + headers.fields.map { "\n\($0.name.lowercased()): \($0.value)" }.joined()
  }

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
