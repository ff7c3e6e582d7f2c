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
