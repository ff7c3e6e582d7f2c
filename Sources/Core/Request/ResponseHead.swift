import FoundationEssentials

/// The head of a response: everything that a source sends before the body.
///
/// ```swift
/// let head = ResponseHead(url: url, status: 200, headers: ["Content-Type": "image/png"])
/// print(head.mimeType ?? "unknown")
/// ```
public struct ResponseHead: Hashable, Sendable {
  /// The URL that responded, after redirects.
  public var url: URL?
  /// The HTTP status; nil when the source has none.
  public var status: Int?
  /// The header fields.
  public var headers: HTTPHeaders
  /// The announced length of the body as the loader will deliver it.
  ///
  /// Nil and negative values mean unknown.
  public var expectedLength: Int?
  /// The heads of the redirects that led here, in order.
  public var redirects: [ResponseHead] = []
  /// The header fields that the loader itself added to this request, such as the `Cookie` of its jar.
  ///
  /// A field that the loader sends with every request belongs in the loader's identity, not here. The exception is
  /// `Cache-Control`: if it has `no-store`, the response is not stored under the policy `.http`. The values of fields
  /// that `Vary` names come from here as well as from the request.
  public var sentFields = HTTPHeaders()

  /// Describes a response before its body; parts that the loader does not know stay nil.
  public init(url: URL? = nil, status: Int? = nil, headers: HTTPHeaders = [:], expectedLength: Int? = nil) {
    self.url = url
    self.status = status
    self.headers = headers
    self.expectedLength = expectedLength
  }

  /// The most bytes that the fields of a head and its redirects may have together.
  package static let mostBytes = 1 << 20

  /// Throws when the fields are too long to be kept with a picture.
  package func checkSize(subject: String) throws(ImageError) {
    let count = redirects.reduce(headers.byteCount) { $0 + $1.headers.byteCount }
    guard count > Self.mostBytes else { return }
    throw ImageError(
      .limitExceeded,
      "The header fields of the response have \(count) bytes; at most \(Self.mostBytes) are accepted, those of redirects "
        + "included.", subject: subject)
  }

  /// The content type that the source states, in lower case and without parameters; nil when it states none.
  public var mimeType: String? {
    guard let stated = headers["Content-Type"] else { return nil }
    let type = ImageFormat(mimeType: stated).mimeType
    return type.isEmpty ? nil : type
  }
}
