import EaselCore
import FoundationEssentials

/// Plug-ins that have an identity and do nothing, for tests of rules about identities.
enum Stub {
  struct Loader: ImageLoader {
    var cacheIdentity: String? = ""
    var origin: ImageOrigin?

    func canLoad(_ url: URL) -> Bool { true }
    func origin(of url: URL) -> ImageOrigin {
      origin ?? ImageOrigin(key: url.absoluteString, scope: cacheIdentity)
    }
    func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
      throw ImageError(.unsupportedURL, "This loader loads nothing.")
    }
  }

  /// One object that fills every plug-in role that decides bytes, as an author may well write it.
  final class Everything: ImageLoader, RequestModifier, ResponseModifier, Decryptor {
    let cacheIdentity: String?

    init(_ cacheIdentity: String?) { self.cacheIdentity = cacheIdentity }

    func canLoad(_ url: URL) -> Bool { true }
    func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
      throw ImageError(.unsupportedURL, "This loader loads nothing.")
    }
    func modify(_ request: LoadRequest) async throws -> LoadRequest? { request }
    func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead? { head }
    func decrypt(_ body: ImageBytes, head: ResponseHead) async throws -> ImageBytes { body }
  }

  struct StructModifier: RequestModifier, ResponseModifier, Decryptor {
    let cacheIdentity: String?

    func modify(_ request: LoadRequest) async throws -> LoadRequest? { request }
    func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead? { head }
    func decrypt(_ body: ImageBytes, head: ResponseHead) async throws -> ImageBytes { body }
  }

  struct Coder: ImageCoder {
    let identifier: String
    var formats: [ImageFormat] = []

    func canDecode(prefix: [UInt8]) -> Bool { false }
    func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { throw unsupported }
    func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image { throw unsupported }

    private var unsupported: ImageError { ImageError(.unsupportedFormat, "This coder decodes nothing.") }
  }

  struct Named: Transformer {
    let cacheKey: String

    init(_ cacheKey: String) { self.cacheKey = cacheKey }

    func transform(_ image: Image, work: WorkContext) throws -> Image { image }
  }

  /// Stands for a manager: requests use only its identity.
  final class Owner: Sendable {}

  static func configuration(_ loader: any ImageLoader = Loader()) -> ImageManager.Configuration {
    let coders = CoderRegistry([
      Coder(identifier: "jpeg", formats: [.jpeg]), Coder(identifier: "png", formats: [.png]),
    ])
    return ImageManager.Configuration(loader: loader, coder: coders, cache: TieredCache())
  }
}
