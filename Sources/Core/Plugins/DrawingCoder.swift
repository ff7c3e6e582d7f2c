/// A coder of drawings, which it can make larger than the file says without a loss.
public protocol DrawingCoder: ImageCoder {
  /// True when pictures of this format are drawings; false when they consist of pixels.
  func drawsLarger(_ format: ImageFormat) -> Bool
}

extension ImageCoder {
  /// True when the coder makes drawings of this format.
  package func makesDrawings(of format: ImageFormat) -> Bool {
    capability((any DrawingCoder).self)?.drawsLarger(format) ?? false
  }
}
