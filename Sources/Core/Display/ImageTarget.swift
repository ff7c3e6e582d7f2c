/// A view that shows pictures, in any toolkit.
///
/// All methods run on ``imageExecutor``: the main actor for most toolkits, or the view itself if it is an actor.
public protocol ImageTarget: AnyObject, Sendable {
  /// The actor that the target's state belongs to.
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
  /// Shows the picture without a transition.
  public nonisolated(nonsending) func transition(to image: Image, for key: String) async { await show(image, for: key) }

  /// Does nothing.
  public func showProgress(received: Int, expected: Int?, for key: String) async {}
}
