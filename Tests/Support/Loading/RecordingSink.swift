import EaselCore

/// A sink that records the loader's calls and can slow the loader down or refuse the head.
public final class RecordingSink: LoadSink {
  /// One recorded call of the loader.
  public enum Event: Hashable, Sendable {
    /// The loader sent the head.
    case head(ResponseHead)
    /// The loader sent this many bytes.
    case bytes(Int)
    /// The loader started again at this offset.
    case restart(Int)
  }

  private struct State {
    var events: [Event] = []
    var body: [UInt8] = []
    var waiting: (@Sendable () -> Void)?
    var pauses = false
    var stopsAfter: Int?
    var isClosed = false
    var eventsAfterClose = 0
    var isPausing = false
    var bytesWhilePaused = 0

    mutating func record(_ event: Event) {
      events.append(event)
      if isClosed { eventsAfterClose += 1 }
    }
  }

  private let state = Watched(State())
  private let takesHeadAtOnce: Bool
  private let headFailure: (any Error)?
  /// The gate of ``begin(_:)``; open unless a test closes it.
  public let headGate = AsyncGate(isOpen: true)

  /// Creates a sink that pauses the loader after each chunk, stops it after a number of bytes, or refuses the head.
  public init(
    takesHeadAtOnce: Bool = false, pausesAfterEachChunk: Bool = false, stopsAfter: Int? = nil,
    headFailure: (any Error)? = nil
  ) {
    self.takesHeadAtOnce = takesHeadAtOnce
    self.headFailure = headFailure
    state.withLock { state in
      state.pauses = pausesAfterEachChunk
      state.stopsAfter = stopsAfter
    }
  }

  /// The loader's calls, in order.
  public var events: [Event] { state.withLock { $0.events } }

  /// The body so far.
  public var body: [UInt8] { state.withLock { $0.body } }

  /// The last head.
  public var head: ResponseHead? {
    events.reversed().lazy.compactMap { if case .head(let head) = $0 { head } else { nil } }.first
  }

  /// True when the loader waits for ``resume()``.
  public var isPaused: Bool { state.withLock { $0.waiting != nil } }

  /// The number of the loader's calls after ``close()``.
  public var callsAfterClose: Int { state.withLock { $0.eventsAfterClose } }

  /// The number of bytes that came during pauses.
  public var bytesWhilePaused: Int { state.withLock { $0.bytesWhilePaused } }

  /// Marks the load as returned; calls from now on are errors.
  public func close() { state.withLock { $0.isClosed = true } }

  /// Suspends until an event of this kind was recorded.
  public func wait(for isWanted: @escaping @Sendable (Event) -> Bool) async {
    await state.wait { $0.events.contains(where: isWanted) }
  }

  /// Suspends until the loader waits for ``resume()``.
  public func waitUntilPaused() async { await state.wait { $0.waiting != nil } }

  /// Lets a paused loader continue.
  public func resume() {
    let waiting = state.withLock { state in
      defer { state.waiting = nil }
      if state.waiting != nil { state.isPausing = false }
      return state.waiting
    }
    waiting?()
  }

  /// Lets a paused loader continue and stops pausing it.
  public func resumeForGood() {
    state.withLock { $0.pauses = false }
    resume()
  }

  // MARK: LoadSink

  /// Accepts the head, or returns false to leave it to ``begin(_:)``.
  public func beginAtOnce(_ head: ResponseHead) throws -> Bool {
    guard takesHeadAtOnce else { return false }
    try take(head)
    return true
  }

  /// Accepts the head.
  public func begin(_ head: ResponseHead) async throws {
    try await headGate.pass()
    try take(head)
  }

  /// Accepts bytes.
  public func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand {
    state.withLock { state in
      state.record(.bytes(bytes.count))
      state.body += bytes
      if state.isPausing { state.bytesWhilePaused += bytes.count }
      if let limit = state.stopsAfter, state.body.count >= limit { return .stop }
      state.isPausing = state.pauses
      return state.pauses ? .pause : .more
    }
  }

  /// Drops the bytes after `offset`; an offset outside the received body is clamped to it.
  public func restart(at offset: Int) {
    state.withLock { state in
      state.record(.restart(offset))
      state.body.removeLast(max(0, state.body.count - max(0, offset)))
    }
  }

  /// Keeps `resume` until the test calls ``resume()``.
  public func whenReady(_ resume: @escaping @Sendable () -> Void) {
    let isReady = state.withLock { state in
      if state.pauses { state.waiting = resume } else { state.isPausing = false }
      return !state.pauses
    }
    if isReady { resume() }
  }

  private func take(_ head: ResponseHead) throws {
    state.withLock { $0.record(.head(head)) }
    if let headFailure { throw headFailure }
  }
}
