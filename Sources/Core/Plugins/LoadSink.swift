/// Where a loader puts what arrives.
public protocol LoadSink: Sendable {
  /// Takes the head at once when nothing has to be asked first; false says that ``begin(_:)`` must be awaited instead.
  func beginAtOnce(_ head: ResponseHead) throws -> Bool

  /// Takes the head, lets response modifiers and checks run, and throws when the load is not to go on.
  ///
  /// The transfer is to be paused meanwhile.
  func begin(_ head: ResponseHead) async throws

  /// Takes the next bytes without ever blocking and says whether more are wanted.
  func append(_ bytes: UnsafeRawBufferPointer) -> LoadDemand

  /// Forgets everything from `offset` on, since the source starts again there.
  func restart(at offset: Int)

  /// What was appended so far, for a loader that keeps a body that was cut; nil when the sink does not keep it.
  var receivedBytes: ImageBytes? { get }

  /// Calls `resume` once, as soon as more bytes are wanted after a ``LoadDemand/pause``.
  func whenReady(_ resume: @escaping @Sendable () -> Void)
}

extension LoadSink {
  /// Always leaves it to ``begin(_:)``.
  public func beginAtOnce(_ head: ResponseHead) throws -> Bool { false }

  /// Keeps nothing.
  public var receivedBytes: ImageBytes? { nil }

  /// Resumes at once.
  public func whenReady(_ resume: @escaping @Sendable () -> Void) { resume() }
}

/// What a sink wants of its loader next.
public enum LoadDemand: Hashable, Sendable {
  /// Send more.
  case more
  /// Wait until ``LoadSink/whenReady(_:)`` calls back; the bytes just given were taken.
  case pause
  /// End the load; what is wrong will be said by whoever called the loader.
  case stop
}
