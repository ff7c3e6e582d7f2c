import EaselCore

/// What a file says of one frame of a moving picture.
package struct StoredFrame: Hashable, Sendable {
  /// What becomes of a frame when its time is over.
  package enum Disposal: Hashable, Sendable {
    /// It stays.
    case keep
    /// Its part of the canvas takes on one colour, mostly a transparent one.
    case clear(PixelColor)
    /// Its part of the canvas becomes again what it was before.
    case restore
  }

  /// The part of the canvas that it changes; it may be empty, and lies on the canvas.
  package var rect: PixelRect
  /// How long it is shown, as stored.
  package var delay: Duration
  /// What becomes of it.
  package var disposal: Disposal
  /// Whether something of what was there before may be seen through it.
  package var isBlended: Bool
  /// Whether some of its own pixels may be transparent.
  package var hasAlpha: Bool

  /// Creates a description.
  package init(rect: PixelRect, delay: Duration, disposal: Disposal, isBlended: Bool, hasAlpha: Bool) {
    self.rect = rect
    self.delay = delay
    self.disposal = disposal
    self.isBlended = isBlended
    self.hasAlpha = hasAlpha
  }

  /// Whether nothing of what was there before can be seen beside or through it.
  package func hidesAll(of canvas: PixelSize) -> Bool { rect.size == canvas && (!isBlended || !hasAlpha) }
}
