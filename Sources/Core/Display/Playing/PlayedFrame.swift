/// A frame that is due.
public struct PlayedFrame: Sendable {
  /// Which frame of the picture it is.
  public let index: Int
  /// The number of plays that were over when it became due.
  public let finishedPlays: Int
  /// The pixels of the whole canvas.
  public let bitmap: Bitmap
}
