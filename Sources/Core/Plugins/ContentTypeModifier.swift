/// Ends a load whose response is not of a type that is wanted.
public struct ContentTypeModifier: ResponseModifier {
  private let types: [String]

  init(_ types: [String]) { self.types = types.map { ImageFormat(mimeType: $0).mimeType }.sorted() }

  /// Names the types.
  public var cacheIdentity: String? { "content-type-\(types.joined(separator: ","))" }

  /// Throws `badContentType` for another type, or none; an answer that nothing changed has no body to be of a type.
  public func modify(_ head: ResponseHead, for request: LoadRequest) throws -> ResponseHead? {
    guard head.status != 304, !types.contains(where: { covers($0, head.mimeType) }) else { return head }
    throw ImageError(
      .badContentType,
      "The server sent \(head.mimeType ?? "no type"); wanted are \(types.joined(separator: ", ")).",
      subject: request.url.absoluteString, response: head)
  }

  private func covers(_ wanted: String, _ type: String?) -> Bool {
    guard let type else { return false }
    return wanted.hasSuffix("/*") ? type.hasPrefix(wanted.dropLast()) : type == wanted
  }
}

extension ResponseModifier where Self == ContentTypeModifier {
  /// Wants one of these types; `image/*` stands for all pictures.
  public static func requiringContentType(_ types: String...) -> Self { ContentTypeModifier(types) }
}
