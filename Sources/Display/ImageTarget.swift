import EaselCore
import EaselManager
import FoundationEssentials

/// A view that shows pictures, in any toolkit.
///
/// All methods run on ``imageExecutor``: the main actor for most toolkits, or the view itself if it is an actor.
///
/// ```swift
/// func fill(_ cell: some ImageTarget) {
///   cell.setImage(url, from: manager, context: [.transformer(.resize(width: 320))])
/// }
/// ```
public protocol ImageTarget: AnyObject, Sendable {
  /// The actor that the target's state belongs to.
  ///
  /// By default it is the main actor, or the target itself if it is an actor.
  var imageExecutor: any Actor { get }

  /// Remembers the current loads: one object for the whole life of the target.
  var imageLoads: TargetLoads { get }

  /// Shows a picture; nil clears it.
  ///
  /// `key` selects the place in targets that show several pictures.
  nonisolated(nonsending) func show(_ image: Image?, for key: String) async

  /// Shows a picture that did not come from memory, with a transition if the target has one.
  nonisolated(nonsending) func transition(to image: Image, for key: String) async

  /// Shows the progress of the load; the length is nil while it is unknown.
  func showProgress(received: Int, expected: Int?, for key: String) async
}

extension ImageTarget {
  /// The main actor, to which the views of most toolkits belong.
  public var imageExecutor: any Actor { MainActor.shared }
}

extension ImageTarget where Self: Actor {
  /// The target itself.
  public nonisolated var imageExecutor: any Actor { self }
}

extension ImageTarget {
  /// Shows the picture without a transition.
  public nonisolated(nonsending) func transition(to image: Image, for key: String) async { await show(image, for: key) }

  /// Does nothing.
  public func showProgress(received: Int, expected: Int?, for key: String) async {}
}

extension ImageTarget {
  /// Loads the picture of a URL and shows it; nil shows the placeholder and fails with `invalidURL`.
  ///
  /// This cancels the target's previous load under the same target key, and no picture of an earlier request is shown
  /// any more. The placeholder is shown at once unless the picture is in memory.
  @discardableResult
  public func setImage(
    _ url: URL?, from manager: ImageManager, placeholder: Image? = nil, options: ImageOptions = [],
    context: ImageContext = []
  ) -> TargetLoads.Load {
    setImage(ImageRequest(url: url, options: options, context: context), from: manager, placeholder: placeholder)
  }

  /// Loads the picture of a request and shows it.
  @discardableResult
  public func setImage(
    _ request: ImageRequest, from manager: ImageManager, placeholder: Image? = nil
  ) -> TargetLoads.Load {
    let (task, events) = ImageTask.watched(request, by: manager)
    let key = task.context[.targetKey] ?? ""
    let turn = imageLoads.begin(task, for: key, keepsPrevious: task.options.contains(.avoidAutoCancel))
    let presenter = TargetPresenter(
      target: self, key: key, turn: turn, task: task, events: events, options: task.options, placeholder: placeholder)
    return TargetLoads.Load(task: task, presenter: Task(priority: .medium) { try await presenter.run() })
  }

  /// The current load of the target under a key; nil when there is none.
  public func imageTask(for key: String = "") -> ImageTask? { imageLoads.task(for: key) }

  /// Cancels the target's load under a key.
  public func cancelImage(for key: String = "") { imageLoads.cancel(key) }
}

extension ImageTarget {
  /// Shows the frames of a player as they become due, until the end or the cancellation of the task.
  ///
  /// It also stops when the target starts another load under the same key.
  public func play(_ player: ImagePlayer, for key: String = "") async throws {
    let turn = imageLoads.latestTurn(for: key)
    for try await frame in player {
      guard await show(Image(frame.bitmap), ifStill: turn, for: key, isolation: imageExecutor) else { return }
    }
  }

  private func show(
    _ image: Image, ifStill turn: UInt64?, for key: String, isolation: isolated any Actor
  ) async -> Bool {
    guard imageLoads.latestTurn(for: key) == turn else { return false }
    await show(image, for: key)
    return true
  }
}
