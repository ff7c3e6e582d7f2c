import EaselCore

extension Bitmap {
  /// Scores how much a copy looks like this picture: 100 if no pixel differs, and less the more an eye sees.
  ///
  /// The score is that of SSIMULACRA 2.1, whose author fitted it to what people said about thousands of pictures. A
  /// copy of 90 cannot be told from the original; 70 is high quality, 50 medium and 30 low, and bad copies have scores
  /// below zero. It matters which of both is the original.
  ///
  /// ```swift
  /// print(try bitmap.visualScore(of: bitmap.blurred(radius: 1)))
  /// ```
  ///
  /// Colours are taken as sRGB. If this picture has alpha, both are compared over dark and over light grey, and the
  /// lower score counts; a copy that alone has alpha lies over medium grey. Pictures narrower or lower than 8 pixels are
  /// continued by the pixels at their edges. The comparison takes two kilobytes of memory for each column, whatever the
  /// height.
  public func visualScore(of copy: Bitmap, work: WorkContext = WorkContext()) throws(ImageError) -> Double {
    guard copy.size == size else {
      throw ImageError(
        .invalidRequest,
        "A picture of \(size) cannot be compared with a copy of \(copy.size). Resize one of them before.")
    }
    let (original, copy) = (markedOpaqueIfPossible(), copy.markedOpaqueIfPossible())
    var lowest = 100.0
    for background: Float in original.format.alpha == .opaque ? [0.5] : [0.1, 0.9] {
      lowest = min(lowest, try VisualComparison(original, copy, over: background).score(work: work))
    }
    return lowest
  }
}
