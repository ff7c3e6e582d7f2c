/// Receives the head and the body of a response from a loader.
public protocol LoadSink: Sendable {
  /// Takes the head without waiting.
  ///
  /// Returns false when ``begin(_:)`` must be awaited instead.
  func beginAtOnce(_ head: ResponseHead) throws -> Bool

  /// Takes the head, and runs response modifiers and checks.
  ///
  /// Throws when the load must end. The loader pauses the transfer until this returns.
  func begin(_ head: ResponseHead) async throws

  /// Takes the next bytes without blocking, and returns what the sink wants next.
  func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand

  /// Removes everything from `offset` on, because the source starts again there.
  func restart(at offset: Int)

  /// The bytes appended so far, for a loader that keeps an interrupted body; nil when the sink does not keep them.
  var receivedBytes: ImageBytes? { get }

  /// Calls `resume` once when the sink is ready for more bytes after a ``LoadDemand/pause``.
  func whenReady(_ resume: @escaping @Sendable () -> Void)
}

extension LoadSink {
  /// Returns false, so that ``begin(_:)`` is always awaited.
  public func beginAtOnce(_ head: ResponseHead) throws -> Bool { false }

  /// Returns nil: the sink keeps no bytes.
  public var receivedBytes: ImageBytes? { nil }

  /// Calls `resume` immediately.
  public func whenReady(_ resume: @escaping @Sendable () -> Void) { resume() }
}

/// The next action that a sink requests from its loader.
public enum LoadDemand: Hashable, Sendable {
  /// Send more.
  case more
  /// Wait until ``LoadSink/whenReady(_:)`` calls back.
  ///
  /// The bytes that were just passed have been taken.
  case pause
  /// End the load.
  ///
  /// The caller of the loader reports the error.
  case stop
}
