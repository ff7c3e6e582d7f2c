/// A load under way: await it, watch it, make it more urgent, give it up.
public final class ImageTask: Sendable {
  private let load: Load
  private let channel: EventChannel
  private let live: LivePriority
  private let answer: Answer
  /// Whether the picture was in memory when it was asked for.
  let wasInMemory: Bool

  private enum Answer {
    case known(ImageResult)
    case awaited(Task<ImageResult, any Error>)
  }

  /// Begins a load; who made the channel hears of everything from the beginning.
  init(_ request: ImageRequest, by manager: ImageManager, channel: EventChannel = EventChannel()) {
    let live = LivePriority(request.statedPriority)
    let load = Load(request, priority: live, events: channel, chain: RunChain.current)
    self.live = live
    self.channel = channel
    self.load = load
    let beginning = manager.begin(load)
    wasInMemory = beginning.wasInMemory
    if case .answered(let found, let resolved) = beginning {
      let result = manager.result(of: found, for: resolved)
      load.end(.succeeded(result.source))
      answer = .known(result)
    } else {
      answer = .awaited(Task.detached { try await manager.run(load, after: beginning) })
    }
  }

  /// The options after the processor had the last word.
  var options: ImageOptions { load.options }

  /// The context after the processor had the last word.
  var context: ImageContext { load.context }

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

  /// What happens before the result; the sequence ends with the load.
  ///
  /// Each sequence begins with the newest events that came before it, and is for one reader. Of the pictures that a
  /// slow reader has not fetched yet only the newest of each kind waits, and of many reports of progress only the newest.
  public var events: AsyncStream<Event> { channel.stream() }

  /// How urgent it is; a run that several share is as urgent as the most urgent of them.
  public var priority: LoadPriority {
    get { live.value }
    set { live.set(newValue) }
  }

  /// Whether the load has its result, whatever that is.
  public var isFinished: Bool { load.hasEnded }

  /// Whether the load was given up, by anyone, before it had a picture.
  public var isCancelled: Bool { load.isCancelled }

  /// Gives the load up: its result is `cancelled`, at once.
  public func cancel() { load.cancel() }
}

extension ImageTask {
  /// What a load tells before its result.
  public enum Event: Sendable {
    /// This many bytes came, of as many as the source announced.
    case progress(received: Int, expected: Int?)
    /// A part of the picture can be shown; it is marked partial.
    case preview(Image)
    /// The picture in the cache, while the server is asked for a newer one.
    case cached(Image)
  }
}
