import EaselCore

/// The frames of a moving picture as its file holds them, each drawn when it is asked for.
package protocol StoredFrames: Sendable {
  /// The number of frames, at least one.
  var count: Int { get }
  /// Whether some frame asks that what was there before it be restored.
  var restoresBefore: Bool { get }
  /// The size of the canvas as stored.
  var canvasSize: PixelSize { get }
  /// The format of the canvas: straight, or opaque where the frames always are.
  var canvasFormat: PixelFormat { get }
  /// What the canvas is before the first frame.
  var ground: PixelColor { get }
  /// How often the whole is played; 0 is forever.
  var loopCount: Int { get }
  /// The bytes of memory that are kept so that frames can be drawn.
  var memoryCost: Int { get }
  /// The place, delay and disposal of a frame.
  func frame(at index: Int) -> StoredFrame
  /// Draws a frame over what is on the canvas, inside of its own part.
  func draw(_ index: Int, on canvas: inout Bitmap, work: WorkContext) throws(ImageError)
}

extension StoredFrames {
  /// Nothing.
  package var ground: PixelColor { .clear }
}
