extension RemotePicture {
  /// The ways in which a picture takes the room of its widget, with the names of `GtkContentFit`.
  public enum ContentFit: Hashable, Sendable, CaseIterable {
    /// Fills the room, and does not keep the ratio of the sides.
    case fill
    /// As large as it fits into the room, which is the default.
    case contain
    /// Covers the room, and is cut where it does not fit.
    case cover
    /// Like ``contain``, but never larger than it is.
    case scaleDown
  }
}
