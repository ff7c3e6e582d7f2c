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
  /// Something for the observers, and the run in which it happened.
  case report(ImageEvent.Kind, in: RunName)

  /// Whether it makes one void that nobody has heard yet: pictures must not queue up before a listener that is held up.
  func replaces(_ older: RunEvent) -> Bool {
    switch (self, older) {
    case (.preview, .preview), (.cached, .cached): true
    default: false
    }
  }
}
