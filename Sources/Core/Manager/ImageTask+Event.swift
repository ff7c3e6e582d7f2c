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
