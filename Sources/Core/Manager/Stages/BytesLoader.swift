import FoundationEssentials

/// Hands over bytes that the caller had already.
final class BytesLoader: ImageLoader {
  static let url = URL(string: "bytes:")!

  private let bytes: ImageBytes
  private let name: String?

  init(_ bytes: ImageBytes, name: String?) {
    self.bytes = bytes
    self.name = name
  }

  /// The key names the bytes; without one they are like no others.
  var cacheIdentity: String? { name == nil ? nil : "bytes" }

  func canLoad(_ url: URL) -> Bool { true }

  /// The caller keeps the original; only what is made of it is stored.
  func origin(of url: URL) -> ImageOrigin {
    ImageOrigin(key: url.absoluteString, scope: cacheIdentity, diskUse: .variantsOnly)
  }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    .bytes(bytes, ResponseHead(url: request.url))
  }
}
