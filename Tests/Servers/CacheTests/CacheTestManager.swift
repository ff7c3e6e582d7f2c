import EaselCore
import EaselManager
import FoundationEssentials

/// An image manager as seen by tests of caches.
///
/// It accepts any bytes as a picture, and reports the status, the fields and the body of each answer as it stores them.
public struct CacheTestManager: Sendable {
  private let manager: ImageManager
  private let cache: any ImageCache

  /// Creates a manager with the policy `.http`.
  public init(loader: any ImageLoader, cache: any ImageCache, clock: any ImageClock) {
    var configuration = ImageManager.Configuration(
      loader: loader, coder: CoderRegistry([AnyBytesCoder()]), cache: cache)
    configuration.cachePolicy = .http
    // A failing server gives no picture, and a stale one may be used instead.
    configuration.acceptedStatuses = 100...499
    configuration.clock = clock
    self.cache = cache
    manager = ImageManager(configuration)
  }

  /// Fetches the response for a request.
  public func fetch(_ request: CacheTestRun.Request) async throws -> CacheTestRun.Response {
    // The number of a request must not affect its cache key.
    let number: any RequestModifier = .closure(cacheIdentity: .plain) { sent in
      var sent = sent
      sent.headers.merge(request.marks)
      return sent
    }
    var wanted = ImageRequest(
      url: request.url, options: [.waitStore, .includeData],
      context: [.headers(request.headers), .requestModifier(number)])
    wanted.method = request.method
    wanted.body = request.body.map { Data($0) }
    do {
      let result = try await manager.result(for: wanted)
      let body = try result.bytes.map { Array(try $0.data()) }
      if result.source != .revalidated {
        return CacheTestRun.Response(
          status: result.response?.status, headers: result.response?.headers, body: body)
      }
      // After a confirmation the result has the confirming head, and the cache the renewed one.
      let kept = try await cache.query(result.key, in: .all)?.entry.record.response
      return CacheTestRun.Response(status: kept?.status, headers: kept?.headers, body: body)
    } catch {
      // An answer without a body has no picture, but it is still an answer.
      guard let error = error as? ImageError, let head = error.response else { throw error }
      return CacheTestRun.Response(
        status: head.status, headers: head.headers, body: error.code == .badStatus ? nil : [])
    }
  }
}

/// Makes one pixel of any bytes.
private struct AnyBytesCoder: ImageCoder {
  static let format = ImageFormat(mimeType: "text/plain")

  let identifier = "any-bytes"
  let formats = [AnyBytesCoder.format]

  func canDecode(prefix: [UInt8]) -> Bool { true }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    ImageHeader(format: Self.format, storedSize: PixelSize(width: 1, height: 1))
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    Image(try Bitmap(size: PixelSize(width: 1, height: 1), format: .opaqueRGBA8), format: Self.format)
  }
}
