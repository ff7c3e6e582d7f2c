/// What a view must offer to show pictures, whatever its toolkit.
///
/// All its methods run on ``imageExecutor``: the main actor for most toolkits, the view itself where it is an actor.
public protocol ImageTarget: AnyObject, Sendable {
  /// What the target's own state belongs to.
  var imageExecutor: any Actor { get }

  /// The target's memory of what it is loading: one object for its whole life.
  var imageLoads: TargetLoads { get }

  /// Shows a picture, or nothing for nil.
  ///
  /// `key` says which one, for targets that show several.
  nonisolated(nonsending) func show(_ image: Image?, for key: String) async

  /// Shows a picture that was not at hand at once, with a transition if the target has one.
  nonisolated(nonsending) func transition(to image: Image, for key: String) async

  /// Shows how far the load is; the length is nil while unknown.
  func showProgress(received: Int, expected: Int?, for key: String) async
}

extension ImageTarget {
  /// Shows it without ado.
  public nonisolated(nonsending) func transition(to image: Image, for key: String) async { await show(image, for: key) }

  /// Shows nothing.
  public func showProgress(received: Int, expected: Int?, for key: String) async {}
}
