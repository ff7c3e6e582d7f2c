import EaselCore
import EaselObserving
import FoundationEssentials
import Glibc

/// The facts about a request that was answered.
package struct RequestLogEntry: Sendable {
  /// The place where the result was found; `miss` if it had to be made.
  package enum Cache: String, Sendable {
    case memory, disk, shared, revalidated, miss
  }

  package var date: Date
  package var id: String
  /// The address of the client; nil if it is not known.
  package var remoteAddress: String?
  package var method: String
  /// The path and the query as they were sent, without the prefix of the server.
  package var target: String
  package var route: ServiceRoute
  package var status: Int
  /// The bytes of the body.
  package var byteCount: Int
  package var duration: Duration
  package var cache: Cache?
  /// The source that the request named, decoded; only its host is logged by default.
  package var source: String?
  /// The code of the error; nil if there was none.
  package var error: ImageError.Code?

  package init(
    date: Date, id: String, remoteAddress: String? = nil, method: String = "GET", target: String,
    route: ServiceRoute = .picture, status: Int = 200, byteCount: Int = 0, duration: Duration = .zero,
    cache: Cache? = nil, source: String? = nil, error: ImageError.Code? = nil
  ) {
    self.date = date
    self.id = id
    self.remoteAddress = remoteAddress
    self.method = method
    self.target = target
    self.route = route
    self.status = status
    self.byteCount = byteCount
    self.duration = duration
    self.cache = cache
    self.source = source
    self.error = error
  }
}
