import EaselCore
import EaselHTTP
import EaselSupport

/// Passes a picture on, unless the server refuses it: then another picture of the page may be tried.
final class WatchedSink: HeadCheckingSink {
  let sink: any LoadSink
  private let begun = Locked(false)

  init(_ sink: any LoadSink) { self.sink = sink }

  /// True once the sink behind this one has a head.
  var hasBegun: Bool { begun.withLock { $0 } }

  func check(_ head: ResponseHead) throws {
    if let status = head.status, (400..<600).contains(status) {
      throw ImageError(.badStatus, "The server answered \(status) for a picture of the page.", response: head)
    }
    begun.withLock { $0 = true }
  }
}
