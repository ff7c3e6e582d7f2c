import EaselCore

/// One frame of an animation as its file describes it.
public struct StoredFrame: Hashable, Sendable {
  /// The change of a frame's area after the frame's time.
  public enum Disposal: Hashable, Sendable {
    /// The frame stays.
    case keep
    /// The frame's area is filled with one colour, usually transparent.
    case clear(PixelColor)
    /// The frame's area returns to its state before the frame.
    case restore
  }

  /// The part of the canvas that the frame changes.
  ///
  /// It lies within the canvas and may be empty.
  public var rect: PixelRect
  /// The delay as stored.
  public var delay: Duration
  /// The change of the frame's area after the delay.
  public var disposal: Disposal
  /// True when the previous canvas may show through the frame.
  public var isBlended: Bool
  /// True when some of the frame's own pixels may be transparent.
  public var hasAlpha: Bool

  /// Describes a frame as its file states it.
  public init(rect: PixelRect, delay: Duration, disposal: Disposal, isBlended: Bool, hasAlpha: Bool) {
    self.rect = rect
    self.delay = delay
    self.disposal = disposal
    self.isBlended = isBlended
    self.hasAlpha = hasAlpha
  }

  /// True when the frame hides the whole previous canvas.
  public func hidesAll(of canvas: PixelSize) -> Bool { rect.size == canvas && (!isBlended || !hasAlpha) }
}
