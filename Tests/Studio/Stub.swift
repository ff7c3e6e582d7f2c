import EaselCore
import EaselManager
import EaselTiers
import FoundationEssentials

/// Plug-ins that have an identity and do nothing, for tests of rules about identities.
package enum Stub {
  package struct Loader: ImageLoader {
    package var cacheIdentity: CacheIdentity
    package var origin: ImageOrigin?

    package init(cacheIdentity: CacheIdentity = .plain, origin: ImageOrigin? = nil) {
      (self.cacheIdentity, self.origin) = (cacheIdentity, origin)
    }

    package func canLoad(_ url: URL) -> Bool { true }
    package func origin(of url: URL) -> ImageOrigin {
      origin ?? ImageOrigin(key: url.absoluteString, cacheIdentity: cacheIdentity)
    }
    package func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
      throw ImageError(.unsupportedURL, "This loader loads nothing.")
    }
  }

  /// One object that fills every plug-in role that decides bytes, as an author may well write it.
  package final class Everything: ImageLoader, RequestModifier, ResponseModifier, Decryptor {
    package let cacheIdentity: CacheIdentity

    package init(_ cacheIdentity: CacheIdentity) { self.cacheIdentity = cacheIdentity }

    package func canLoad(_ url: URL) -> Bool { true }
    package func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
      throw ImageError(.unsupportedURL, "This loader loads nothing.")
    }
    package func modify(_ request: LoadRequest) async throws -> LoadRequest? { request }
    package func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead? { head }
    package func decrypt(_ body: ImageBytes, head: ResponseHead) async throws -> ImageBytes { body }
  }

  package struct StructModifier: RequestModifier, ResponseModifier, Decryptor {
    package let cacheIdentity: CacheIdentity

    package init(cacheIdentity: CacheIdentity) { self.cacheIdentity = cacheIdentity }

    package func modify(_ request: LoadRequest) async throws -> LoadRequest? { request }
    package func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead? { head }
    package func decrypt(_ body: ImageBytes, head: ResponseHead) async throws -> ImageBytes { body }
  }

  package struct Coder: ImageCoder {
    package let identifier: String
    package var formats: [ImageFormat]

    package init(identifier: String, formats: [ImageFormat] = []) {
      (self.identifier, self.formats) = (identifier, formats)
    }

    package func canDecode(prefix: [UInt8]) -> Bool { false }
    package func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { throw unsupported }
    package func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
      throw unsupported
    }

    private var unsupported: ImageError { ImageError(.unsupportedFormat, "This coder decodes nothing.") }
  }

  package struct Named: Transformer {
    package let cacheKey: String

    package init(_ cacheKey: String) { self.cacheKey = cacheKey }

    package func transform(_ image: Image, work: WorkContext) throws -> Image { image }
  }

  /// Stands for a manager: requests use only its identity.
  package final class Owner: Sendable {
    package init() {}
  }

  package static func configuration(_ loader: any ImageLoader = Loader()) -> ImageManager.Configuration {
    let coders = CoderRegistry([
      Coder(identifier: "jpeg", formats: [.jpeg]), Coder(identifier: "png", formats: [.png]),
    ])
    return ImageManager.Configuration(loader: loader, coder: coders, cache: TieredCache())
  }
}
