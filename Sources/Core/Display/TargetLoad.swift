/// A load whose picture goes to a target.
public final class TargetLoad: Sendable {
  /// The load itself: watch it, make it more urgent.
  public let task: ImageTask
  private let showing: Task<ImageResult, any Error>

  init(task: ImageTask, showing: Task<ImageResult, any Error>) {
    self.task = task
    self.showing = showing
  }

  /// The result, after the target was told of it.
  public var result: ImageResult {
    get async throws(ImageError) {
      do {
        return try await showing.value
      } catch {
        throw .wrapping(error, as: .network, "The load failed.")
      }
    }
  }

  /// Gives the load up.
  public func cancel() { task.cancel() }
}
