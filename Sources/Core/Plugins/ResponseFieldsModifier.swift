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
