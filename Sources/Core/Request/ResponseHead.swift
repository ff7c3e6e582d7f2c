import FoundationEssentials

/// The head of a response: everything that a source sends before the body.
public struct ResponseHead: Hashable, Sendable {
  /// The URL that responded, after redirects.
  public var url: URL?
  /// The HTTP status; nil when the source has none.
  public var status: Int?
  /// The header fields.
  public var headers: HTTPHeaders
  /// The announced length of the body as it will be delivered.
  ///
  /// Nil and negative values mean unknown.
  public var expectedLength: Int?
  /// The heads of the redirects that led here, in order.
  public var redirects: [ResponseHead] = []
  /// The header fields that the loader itself added to this request, such as the `Cookie` of its jar.
  ///
  /// A field that the loader sends with every request belongs to its identity and not here. A field that `Vary` names
  /// is looked up here as well as in the request.
  public var sentFields = HTTPHeaders()

  /// Creates a head.
  public init(url: URL? = nil, status: Int? = nil, headers: HTTPHeaders = [:], expectedLength: Int? = nil) {
    self.url = url
    self.status = status
    self.headers = headers
    self.expectedLength = expectedLength
  }

  /// The content type that the source states, in lower case and without parameters; nil when it states none.
  public var mimeType: String? {
    guard let stated = headers["Content-Type"] else { return nil }
    let type = ImageFormat(mimeType: stated).mimeType
    return type.isEmpty ? nil : type
  }
}
