import EaselCore
import FoundationEssentials

/// The facts about an answer that go into the log and the metrics.
package struct ResponseDetails: Sendable {
  package var route = ServiceRoute.other
  package var cache: RequestLogEntry.Cache?
  /// The source that the request named.
  package var source: String?
  package var format: ImageFormat?
  package var error: ImageError.Code?
  /// The tags of the source, and the source that has them.
  var tags = SourceTags()
  var taggedSource: URL?

  package init() {}
}
