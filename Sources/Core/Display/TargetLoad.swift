/// A load whose picture goes to a target.
public final class TargetLoad: Sendable {
  /// The load itself, for watching it or changing its priority.
  public let task: ImageTask
  private let showing: Task<ImageResult, any Error>

  init(task: ImageTask, showing: Task<ImageResult, any Error>) {
    self.task = task
    self.showing = showing
  }

  /// The result, available after the target has shown it.
  public var result: ImageResult {
    get async throws(ImageError) {
      do {
        return try await showing.value
      } catch {
        throw .wrapping(error, as: .network, "The load failed.")
      }
    }
  }

  /// Cancels the load.
  public func cancel() { task.cancel() }
}
