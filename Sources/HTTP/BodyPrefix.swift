import EaselCore
import EaselSupport

/// The beginning of a body that is still arriving.
package final class BodyPrefix: Sendable {
  private struct State {
    var newest: ArrivingBody?
    var isOver = false
    var wanted = 0
    var continuation: UnsafeContinuation<Void, Never>?

    mutating func takeIfEnough() -> UnsafeContinuation<Void, Never>? {
      guard isOver || (newest?.received.count ?? 0) >= wanted else { return nil }
      return continuation.take()
    }
  }

  private let state = Locked(State())

  package init() {}

  package func bytesArrived(_ arrival: ArrivingBody) {
    let waiting = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      // Older events may come after newer ones.
      guard arrival.epoch >= state.newest?.epoch ?? .min else { return nil }
      state.newest = arrival
      return state.takeIfEnough()
    }
    waiting?.resume()
  }

  /// Notes that no more bytes will arrive.
  package func end() {
    let waiting = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      state.isOver = true
      return state.takeIfEnough()
    }
    waiting?.resume()
  }

  /// Waits for at least `count` bytes; returns nil when the transfer ends earlier.
  package func wait(for count: Int) async -> ImageBytes? {
    await withUnsafeContinuation { continuation in
      let isReady = state.withLock { state in
        state.wanted = count
        state.continuation = continuation
        return state.takeIfEnough() != nil
      }
      if isReady { continuation.resume() }
    }
    return state.withLock { $0.isOver ? nil : $0.newest?.received.snapshot() }
  }
}
