/// A load under way: await it, watch it, make it more urgent, give it up.
public final class ImageTask: Sendable {
  private let load: Load
  private let channel: EventChannel
  private let live: LivePriority
  private let task: Task<ImageResult, any Error>

  init(_ request: ImageRequest, by manager: ImageManager) {
    let channel = EventChannel()
    let live = LivePriority(request.statedPriority)
    let load = Load(request, priority: live, events: channel)
    self.live = live
    self.channel = channel
    self.load = load
    task = Task.detached { try await manager.run(load) }
  }

  /// What was asked for.
  public var request: ImageRequest { load.request }

  /// The picture.
  ///
  /// When the waiting task is cancelled, so is the load.
  public var image: Image {
    get async throws(ImageError) { try await result.image }
  }

  /// The picture and how it was had.
  ///
  /// When the waiting task is cancelled, so is the load.
  public var result: ImageResult {
    get async throws(ImageError) {
      do {
        return try await withTaskCancellationHandler {
          try await task.value
        } onCancel: {
          cancel()
        }
      } catch {
        throw .wrapping(error, as: .network, "The load failed.")
      }
    }
  }

  /// What happens before the result; the sequence ends with the load.
  ///
  /// Each sequence begins with the newest events that came before it.
  public var events: AsyncStream<Event> { channel.stream() }

  /// How urgent it is; a run that several share is as urgent as the most urgent of them.
  public var priority: LoadPriority {
    get { live.value }
    set { live.set(newValue) }
  }

  /// Gives the load up: its result is `cancelled`, at once.
  public func cancel() { load.cancel() }
}
