import FoundationEssentials

/// What a source says before its body.
public struct ResponseHead: Hashable, Sendable {
  /// The URL that answered, after redirects.
  public var url: URL?
  /// The HTTP status, nil where the source has none.
  public var status: Int?
  /// The header fields.
  public var headers: HTTPHeaders
  /// The announced length of the body as it will be delivered, nil when unknown; a length below zero counts as unknown.
  public var expectedLength: Int?
  /// The heads of the redirects that led here, in order.
  public var redirects: [ResponseHead] = []
  /// The fields that the loader itself added to this one request, such as the `Cookie` of its jar.
  ///
  /// A field that the loader sends with every request is part of its identity, and not in here.
  /// A field that `Vary` names is looked for here as well as in the request.
  public var sentFields = HTTPHeaders()

  /// Creates a head.
  public init(url: URL? = nil, status: Int? = nil, headers: HTTPHeaders = [:], expectedLength: Int? = nil) {
    self.url = url
    self.status = status
    self.headers = headers
    self.expectedLength = expectedLength
  }

  /// The type that the source states, lower case and without parameters; nil when it states none.
  public var mimeType: String? {
    guard let stated = headers["Content-Type"] else { return nil }
    let type = ImageFormat(mimeType: stated).mimeType
    return type.isEmpty ? nil : type
  }
}
