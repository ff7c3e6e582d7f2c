import EaselCore
import EaselSupport

/// The fields that several answers have in common, which a server writes as bytes once for all of them.
package final class PreparedFields: Sendable {
  package let headers: HTTPHeaders
  private let written = Locked<[UInt8]??>(nil)

  package init(_ headers: HTTPHeaders) { self.headers = headers }

  /// The fields as bytes, which `write` makes at the first call; nil if they cannot be sent.
  package func bytes(_ write: (HTTPHeaders) -> [UInt8]?) -> [UInt8]? {
    if let known = written.withLock({ $0 }) { return known }
    let bytes = write(headers)
    written.withLock { $0 = .some(bytes) }
    return bytes
  }
}
