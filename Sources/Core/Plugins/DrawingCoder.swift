/// A coder of drawings, which can be made larger than their files state without a loss.
public protocol DrawingCoder: ImageCoder {
  /// True when pictures of this format are drawings, and do not consist of pixels.
  func drawsLarger(_ format: ImageFormat) -> Bool
}

extension ImageCoder {
  /// True when the coder treats pictures of this format as drawings.
  package func makesDrawings(of format: ImageFormat) -> Bool {
    capability((any DrawingCoder).self)?.drawsLarger(format) ?? false
  }
}
