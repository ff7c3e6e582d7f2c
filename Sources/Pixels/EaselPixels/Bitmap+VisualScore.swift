import EaselCore

extension Bitmap {
  /// Scores how much a copy looks like this picture.
  ///
  /// The score is 100 if no pixel differs, and less the more differences an eye sees. It is that of SSIMULACRA 2.1,
  /// whose author adjusted it to people's judgements of thousands of pictures. At 90, a copy cannot be told from the
  /// original; 70 is high quality, 50 medium and 30 low, and bad copies have scores below zero. The score changes if
  /// original and copy are exchanged.
  ///
  /// ```swift
  /// print(try bitmap.visualScore(of: bitmap.blurred(radius: 1)))
  /// ```
  ///
  /// Colours are treated as sRGB. If this picture has alpha, both are compared over dark grey and over light grey, and
  /// the lower score counts. If only the copy has alpha, it is placed over medium grey. If a side has fewer than 8
  /// pixels, the pixels at the edges are repeated. The comparison takes two kilobytes of memory for each column,
  /// whatever the height.
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
