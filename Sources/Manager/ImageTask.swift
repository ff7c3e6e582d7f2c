import EaselCore
import EaselWorkers

/// A running load, whose result can be awaited, and which can be observed, reprioritized and cancelled.
///
/// ```swift
/// let task = manager.load(url)
/// task.priority = .low
/// let image = try await task.image
/// ```
public final class ImageTask: Sendable {
  private let load: Load
  private let channel: EventChannel
  private let live: LoadPriority.Live
  private let answer: ResultState
  /// True when the picture was in memory when the task was created.
  package let wasInMemory: Bool

  private enum ResultState {
    case known(ImageResult)
    case awaited(Task<ImageResult, any Error>)
  }

  /// Begins a load.
  ///
  /// A caller that passes its own channel receives every event from the start.
  init(_ request: ImageRequest, by manager: ImageManager, channel: EventChannel = EventChannel()) {
    let live = LoadPriority.Live(request.statedPriority)
    let load = Load(request, priority: live, events: channel, plugin: PluginRun.current)
    (self.live, self.channel, self.load) = (live, channel, load)
    let loading = Loading(manager: manager, load: load)
    let beginning = loading.begin()
    wasInMemory = beginning.wasInMemory
    if case .answered(let found, let resolved) = beginning {
      let result = ImageResult(found, for: resolved, by: manager.configuration.clock)
      load.end(.succeeded(result.source))?.deliver()
      answer = .known(result)
    } else {
      // The task inherits the task-locals of its caller, because the plug-ins of a fallback URL may read them.
      answer = .awaited(Task(priority: live.value.ofTask) { try await loading.picture(after: beginning) })
    }
  }

  /// Begins a load, and returns its task and all its events from the first on.
  package static func watched(
    _ request: ImageRequest, by manager: ImageManager
  ) -> (task: ImageTask, events: AsyncStream<Event>) {
    // The channel exists before the load starts, so that no event is missed.
    let channel = EventChannel()
    let events = channel.stream()
    return (ImageTask(request, by: manager, channel: channel), events)
  }

  /// The options after the options processor changed them.
  package var options: ImageOptions { load.options }

  /// The context after the options processor changed it.
  package var context: ImageContext { load.context }

  /// The request that the task loads.
  public var request: ImageRequest { load.request }

  /// Waits for the picture.
  ///
  /// Cancelling the waiting task also cancels the load.
  public var image: Image {
    get async throws(ImageError) { try await result.image }
  }

  /// Waits for the picture and the details of its load.
  ///
  /// Cancelling the waiting task also cancels the load.
  public var result: ImageResult {
    get async throws(ImageError) {
      let task: Task<ImageResult, any Error>
      switch answer {
      case .known(let result): return result
      case .awaited(let running): task = running
      }
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

  /// The events before the result; the sequence ends with the load.
  ///
  /// Each access makes a new sequence for one reader, which begins with the newest past events. If a reader is slow,
  /// only the newest preview and the newest cached picture are kept for it, and if there are many progress reports,
  /// only the newest.
  ///
  /// ```swift
  /// for await event in manager.load(url).events {
  ///   if case .progress(let received, let expected) = event { print("\(received) of \(expected ?? 0) bytes") }
  /// }
  /// ```
  public var events: AsyncStream<Event> { channel.stream() }

  /// The priority of the load.
  ///
  /// Shared work runs at the highest priority of all loads that wait for it.
  public var priority: LoadPriority {
    get { live.value }
    set { live.set(newValue) }
  }

  /// True when the load has its result, successful or not.
  public var isFinished: Bool { load.hasEnded }

  /// True when a caller cancelled the load before it had a picture.
  public var isCancelled: Bool { load.isCancelled }

  /// Cancels the load: it fails with `cancelled` immediately.
  public func cancel() { load.cancel() }
}
