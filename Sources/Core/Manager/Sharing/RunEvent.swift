/// What a run tells those who wait for it before its end.
enum RunEvent: Sendable {
  /// Bytes came; the length is nil while unknown.
  case progress(received: Int, expected: Int?)
  /// There is more of the body to look at.
  case arrived(Arrival)
  /// A part of the picture can be shown.
  case preview(Image)
  /// The picture in the cache, which is being refreshed.
  case cached(Image)
  /// Something for the observers.
  case report(ImageEvent.Kind)
}
