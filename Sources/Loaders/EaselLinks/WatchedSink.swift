import EaselCore
import EaselSupport

/// Passes a picture on, unless the server refuses it: then another picture of the page may be tried.
final class WatchedSink: LoadSink {
  private let sink: any LoadSink
  private let begun = Locked(false)

  init(_ sink: any LoadSink) { self.sink = sink }

  /// True once the sink behind this one has a head.
  var hasBegun: Bool { begun.withLock { $0 } }

  func beginAtOnce(_ head: ResponseHead) throws -> Bool {
    try check(head)
    return try sink.beginAtOnce(head)
  }

  func begin(_ head: ResponseHead) async throws {
    try check(head)
    try await sink.begin(head)
  }

  func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand { sink.append(bytes) }
  func restart(at offset: Int) { sink.restart(at: offset) }
  var receivedBytes: ImageBytes? { sink.receivedBytes }
  func whenReady(_ resume: @escaping @Sendable () -> Void) { sink.whenReady(resume) }

  private func check(_ head: ResponseHead) throws {
    if let status = head.status, (400..<600).contains(status) {
      throw ImageError(.badStatus, "The server answered \(status) for a picture of the page.", response: head)
    }
    begun.withLock { $0 = true }
  }
}
