/// Adds header fields to every request.
public struct HeadersModifier: RequestModifier {
  private let headers: HTTPHeaders

  init(_ headers: HTTPHeaders) { self.headers = headers }

  /// Names the fields and their values, by a hash, for they may be secret and keys are stored.
  public var cacheIdentity: String? {
    // Framed, since a value may contain what looks like the next field.
    var bytes: [UInt8] = []
    for field in headers.fields {
      KeyFraming.append(HTTPHeaders.folded(field.name), to: &bytes)
      KeyFraming.append(field.value, to: &bytes)
    }
    return "headers-\(hexadecimal(SHA256.hash(bytes)))"
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
