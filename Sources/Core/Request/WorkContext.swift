/// What goes along with a piece of work on a worker thread: its limits, its time, and whether anyone still wants it.
public struct WorkContext: Sendable {
  /// The limits that bind the work.
  public let limits: Limits
  /// Everything else that the caller said.
  public let context: ImageContext

  private let cancellation: Cancellation
  private let clock: any ImageClock
  private let deadline: Duration

  /// Creates a context whose time starts now.
  public init(limits: Limits = Limits(), context: ImageContext = ImageContext()) {
    self.init(limits: limits, context: context, cancellation: Cancellation(), clock: SystemClock())
  }

  package init(limits: Limits, context: ImageContext, cancellation: Cancellation, clock: any ImageClock) {
    self.limits = limits
    self.context = context
    self.cancellation = cancellation
    self.clock = clock
    deadline = clock.uptime + limits.decodeTime
  }

  /// Throws when nobody wants the result any more or the time is over; long work calls it every few milliseconds.
  public func checkCancellation() throws(ImageError) {
    if cancellation.isCancelled { throw .cancelled() }
    if clock.uptime > deadline {
      throw .exhausted("The work took longer than \(limits.decodeTime). Raise Limits.decodeTime to allow it.")
    }
  }
}
