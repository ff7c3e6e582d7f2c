import EaselCore
import EaselSupport
import FoundationEssentials

/// Keeps the beginning of a page, and stops the load when it has enough.
final class PageSink: LoadSink {
  private struct State {
    var bytes: [UInt8] = []
    var address: URL?
    var isFull = false
  }

  private let limit: Int
  private let name: String
  private let state = Locked(State())

  init(limit: Int, name: String) { (self.limit, self.name) = (limit, name) }

  var bytes: [UInt8] { state.withLock { $0.bytes } }
  /// The URL to which redirects have led.
  var address: URL? { state.withLock { $0.address } }
  var isFull: Bool { state.withLock { $0.isFull } }

  func beginAtOnce(_ head: ResponseHead) throws -> Bool {
    if let status = head.status, !(200..<300).contains(status) {
      throw ImageError(.badStatus, "The server answered \(status) for the \(name).", response: head)
    }
    state.withLock { state in
      state.address = head.url
      state.bytes = []
    }
    return true
  }

  func begin(_ head: ResponseHead) async throws { _ = try beginAtOnce(head) }

  func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand {
    state.withLock { state in
      let before = state.bytes.count
      state.bytes += bytes.prefix(limit - before)
      // The end of the head may have been cut between two pieces.
      let end = state.bytes[max(0, before - 8)...]
      state.isFull = state.bytes.count >= limit || Self.endsHead(end)
      return state.isFull ? .stop : .more
    }
  }

  func restart(at offset: Int) { state.withLock { $0.bytes.removeLast(max(0, $0.bytes.count - offset)) } }

  private static let end = Array("</head".utf8)

  private static func endsHead(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while let mark = rest.firstIndex(of: end[0]) {
      rest = rest[mark...]
      if rest.prefix(end.count).elementsEqual(end, by: { $0 | 0x20 == $1 | 0x20 }) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
