import EaselCore

extension ImageTask {
  /// An event of a load before its result.
  public enum Event: Sendable {
    /// Bytes arrived; `expected` is the length that the source announced.
    case progress(received: Int, expected: Int?)
    /// A preview of the picture, with the trait `partial`.
    case preview(Image)
    /// The cached picture, while the manager asks the server for a newer one.
    case cached(Image)
  }
}
