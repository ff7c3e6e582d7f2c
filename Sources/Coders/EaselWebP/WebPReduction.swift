import EaselCore

/// Makes a thumbnail from the rows that libwebp finishes, in little more memory than the rows of one piece take.
protocol WebPReduction: AnyObject {
  var bytesPerRow: Int { get }
  /// The number of pieces in which the rows should arrive.
  var portions: Int { get }
  /// The place of the picture's first row, chosen so that the first unfinished row is at the start of the memory.
  var target: UnsafeMutableRawPointer { get }
  /// Takes the rows that were finished since the last call; afterwards, ``target`` may be another buffer.
  func take(upTo end: Int) throws(ImageError)
  /// The thumbnail made from all taken rows.
  func finish() throws(ImageError) -> Bitmap
}
