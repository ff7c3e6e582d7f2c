import FoundationEssentials
import Synchronization

/// The context of a piece of work on a worker thread: its limits, its time and its cancellation.
///
/// ```swift
/// let work = WorkContext(limits: Limits(side: 4096))
/// let header = try PNGCoder().probe(bytes, work: work)
/// ```
public struct WorkContext: Sendable {
  /// The limits for the work.
  public let limits: Limits
  /// The context of the load.
  public let context: ImageContext
  /// The URL that the picture comes from; nil for bytes that the caller passed in.
  public package(set) var url: URL?
  /// The head of the response; nil when there is none.
  ///
  /// For a cached picture it contains only the stored status and fields.
  public package(set) var response: ResponseHead?

  /// The time that the work may take, counted while a thread runs it.
  package let time: WorkTime
  private let cancellation: Cancellation

  /// Creates a context whose time starts now, for your own work and for tests of plug-ins.
  ///
  /// With `isCancelled`, ``checkCancellation()`` throws `cancelled`. A test can pass a clock that it advances itself,
  /// so that it need not wait for `limits.decodeTime`.
  public init(
    limits: Limits = Limits(), context: ImageContext = ImageContext(), url: URL? = nil, response: ResponseHead? = nil,
    isCancelled: Bool = false, clock: any ImageClock = SystemClock()
  ) {
    self.init(limits: limits, context: context, cancellation: Cancellation(), clock: clock)
    self.url = url
    self.response = response
    if isCancelled { cancellation.cancel() }
    time.begin()
  }

  /// Creates a context whose time starts when a worker thread begins.
  package init(limits: Limits, context: ImageContext, cancellation: Cancellation, clock: any ImageClock) {
    self.limits = limits
    self.context = context
    self.cancellation = cancellation
    time = WorkTime(limits.decodeTime, clock: clock)
  }

  /// Throws when the work is cancelled or its time is over.
  ///
  /// Long work calls this every few milliseconds.
  ///
  /// ```swift
  /// for row in 0..<bitmap.height {
  ///   try work.checkCancellation()
  ///   print("row \(row)")
  /// }
  /// ```
  public func checkCancellation() throws(ImageError) {
    if cancellation.isCancelled { throw .cancelled() }
    if time.isOver {
      throw .exhausted("The work took longer than \(limits.decodeTime). Raise Limits.decodeTime to allow it.")
    }
  }
}

/// A flag that is set when a result is no longer wanted.
package final class Cancellation: Sendable {
  private let flag = Atomic(false)

  package init() {}

  package var isCancelled: Bool { flag.load(ordering: .acquiring) }

  package func cancel() { flag.store(true, ordering: .releasing) }
}
