import EaselCore
import EaselSupport

/// Keeps a response in memory.
final class CollectingSink: LoadSink {
  private struct State {
    var head: ResponseHead?
    var body: [UInt8] = []
    var isTooLarge = false
  }

  private let state = Locked(State())
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// The response that has arrived; throws if it was too large, or if nothing came.
  func answer() throws(ImageError) -> S3Client.Response {
    let (head, body, isTooLarge) = state.withLock { ($0.head, $0.body, $0.isTooLarge) }
    if isTooLarge { throw ImageError(.limitExceeded, "The answer of S3 has more than \(limit) bytes.") }
    guard let head else { throw ImageError(.invalidResponse, "S3 has not answered.") }
    return S3Client.Response(head: head, body: body)
  }

  func beginAtOnce(_ head: ResponseHead) throws -> Bool {
    state.withLock { state in
      state.head = head
      state.body.removeAll()
      if let length = head.expectedLength, (0...limit).contains(length) { state.body.reserveCapacity(length) }
    }
    return true
  }

  func begin(_ head: ResponseHead) async throws { _ = try beginAtOnce(head) }

  func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand {
    state.withLock { state in
      guard state.body.count + bytes.count <= limit else {
        state.isTooLarge = true
        return .stop
      }
      state.body.append(contentsOf: bytes)
      return .more
    }
  }

  func restart(at offset: Int) {
    state.withLock { state in
      state.body.removeLast(max(0, state.body.count - offset))
      state.isTooLarge = false
    }
  }
}
