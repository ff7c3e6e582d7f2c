/// A frame of a player that is due now.
public struct PlayedFrame: Sendable {
  /// The index of the frame in the picture.
  public let index: Int
  /// The number of plays that were finished when it became due.
  public let finishedPlays: Int
  /// The pixels of the whole canvas.
  public let bitmap: Bitmap
}
