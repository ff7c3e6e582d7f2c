import Easel
import FoundationEssentials

// Documentation: writing a response modifier.
struct RefusePlaceholders: ResponseModifier {
  var cacheIdentity: CacheIdentity { .named("refuse-placeholders") }

  func modify(_ head: ResponseHead, for request: LoadRequest) throws -> ResponseHead? {
    guard head.headers["X-Placeholder"] == nil else {
      throw ImageError(
        .invalidResponse, "The server sent its placeholder.", subject: request.url.absoluteString, response: head)
    }
    return head
  }
}
