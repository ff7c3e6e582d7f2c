extension RemotePicture {
  /// The sign that a picture is being loaded, in the middle of the widget.
  public enum Indicator {
    /// No sign, which is the default.
    case none
    /// A wheel that turns.
    case spinner
    /// A bar of two thirds of the width that shows how much has come.
    case bar
    /// A widget of your own, and the call that tells it which share has come; nil while that is unknown.
    case custom(OpaquePointer, (@GTKActor (Double?) -> Void)? = nil)
  }
}
