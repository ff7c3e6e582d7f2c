import EaselCore

/// Makes a thumbnail of the rows that libwebp finishes, in memory for little more than the rows of one piece.
protocol WebPReduction: AnyObject {
  var bytesPerRow: Int { get }
  /// The number of pieces in which the rows should come.
  var portions: Int { get }
  /// The place of the picture's first row, such that the first unfinished row is at the start of the memory.
  var target: UnsafeMutableRawPointer { get }
  /// Takes the rows that were finished since the last call; ``target`` may be another buffer afterwards.
  func take(upTo end: Int) throws(ImageError)
  /// The thumbnail of the rows that were taken.
  func finish() throws(ImageError) -> Bitmap
}
