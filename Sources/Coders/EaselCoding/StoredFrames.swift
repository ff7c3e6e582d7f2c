import EaselCore

/// The frames of an animation in the form of its file, each drawn on demand.
public protocol StoredFrames: Sendable {
  /// The number of frames, at least one.
  var count: Int { get }
  /// True if at least one frame asks to restore the previous canvas.
  var restoresBefore: Bool { get }
  /// The size of the canvas as stored.
  var canvasSize: PixelSize { get }
  /// The format of the canvas: opaque if all frames are opaque, else with straight alpha.
  var canvasFormat: PixelFormat { get }
  /// The colour of the canvas before the first frame.
  var ground: PixelColor { get }
  /// The number of times the animation is played; 0 is forever.
  var loopCount: Int { get }
  /// The bytes of memory for drawing frames.
  var memoryCost: Int { get }
  /// The place, delay and disposal of a frame.
  func frame(at index: Int) -> StoredFrame
  /// Draws a frame over the canvas, within the frame's own area.
  func draw(_ index: Int, on canvas: inout Bitmap, work: WorkContext) throws(ImageError)
}

extension StoredFrames {
  /// Transparent, for formats without a background colour.
  public var ground: PixelColor { .clear }
}
