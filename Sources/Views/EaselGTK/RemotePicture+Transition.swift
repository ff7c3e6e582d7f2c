extension RemotePicture {
  /// The way from one picture to the next.
  ///
  /// Pictures from memory come without one, as do all if the desktop asks for no animations.
  public struct Transition: Sendable {
    /// The look of one of the two pictures during a transition.
    public struct Layer: Hashable, Sendable {
      /// 1 for a picture that hides what is below.
      public var opacity = 1.0
      /// The size by which the picture is drawn around its middle.
      public var scale = 1.0
      /// The move to the right, in units of the toolkit.
      public var x = 0.0
      /// The move down, in units of the toolkit.
      public var y = 0.0

      /// The look of a picture that stands where it belongs.
      public init() {}
    }

    let duration: Duration
    let draw: @Sendable (Double, inout Layer, inout Layer) -> Void

    /// The next picture appears at once.
    public static let none = Transition(duration: .zero) { _, _, _ in }

    /// The next picture appears over the last one.
    public static func fade(_ duration: Duration = .milliseconds(200)) -> Transition {
      Transition(duration: duration) { progress, last, next in
        next.opacity = progress
        last.opacity = 1 - progress * progress
      }
    }

    /// A transition of your own.
    ///
    /// `draw` gets the share of the time that has passed, from 0 to 1, and changes the look of the last and of the next
    /// picture.
    ///
    /// ```swift
    /// let zoom = RemotePicture.Transition.custom(.milliseconds(300)) { progress, last, next in
    ///   last.opacity = 1 - progress
    ///   next.scale = 0.9 + 0.1 * progress
    /// }
    /// ```
    public static func custom(
      _ duration: Duration, _ draw: @escaping @Sendable (Double, inout Layer, inout Layer) -> Void
    ) -> Transition {
      Transition(duration: duration, draw: draw)
    }
  }
}
