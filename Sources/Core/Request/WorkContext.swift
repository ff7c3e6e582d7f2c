import FoundationEssentials

/// What goes along with a piece of work on a worker thread: its limits, its time, and whether anyone still wants it.
public struct WorkContext: Sendable {
  /// The limits that bind the work.
  public let limits: Limits
  /// Everything else that the caller said.
  public let context: ImageContext
  /// The URL that the picture is loaded from; nil for bytes at hand.
  public package(set) var url: URL?
  /// What the server said before the body; nil where none did.
  ///
  /// Of a picture in the cache it has the status and the fields that were kept.
  public package(set) var response: ResponseHead?

  /// The time that the work may take, counted while a thread is at it.
  package let time: WorkTime
  private let cancellation: Cancellation

  /// Creates a context whose time starts now.
  public init(
    limits: Limits = Limits(), context: ImageContext = ImageContext(), url: URL? = nil, response: ResponseHead? = nil
  ) {
    self.init(limits: limits, context: context, cancellation: Cancellation(), clock: SystemClock())
    self.url = url
    self.response = response
    time.begin()
  }

  /// Creates a context whose time starts when a worker thread begins.
  package init(limits: Limits, context: ImageContext, cancellation: Cancellation, clock: any ImageClock) {
    self.limits = limits
    self.context = context
    self.cancellation = cancellation
    time = WorkTime(limits.decodeTime, clock: clock)
  }

  /// Throws when nobody wants the result any more or the time is over; long work calls it every few milliseconds.
  public func checkCancellation() throws(ImageError) {
    if cancellation.isCancelled { throw .cancelled() }
    if time.isOver {
      throw .exhausted("The work took longer than \(limits.decodeTime). Raise Limits.decodeTime to allow it.")
    }
  }
}
