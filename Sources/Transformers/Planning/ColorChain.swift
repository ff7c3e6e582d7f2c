import EaselCore
import EaselPixels

/// Several colour steps in one pass over the pixels.
struct ColorChain: PlannableTransformer, BitmapTransformer {
  private let steps: [any ColorStep]

  init(_ step: any ColorStep) { steps = [step] }

  private init(_ steps: [any ColorStep]) { self.steps = steps }

  var cacheKey: String { steps.map(\.cacheKey).joined(separator: "-") }

  func merged(with next: any Transformer) -> (any Transformer)? {
    (next as? any ColorStep).map { ColorChain(steps + [$0]) }
  }

  func checkParameters() throws(ImageError) {
    for step in steps { try step.checkParameters() }
  }

  func drawing(in color: ColorDescription, work: WorkContext) throws(ImageError) -> ColorChain {
    var drawn: [any ColorStep] = []
    for step in steps { drawn.append(try step.drawing(in: color, work: work)) }
    return ColorChain(drawn)
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try bitmap.applying(matrices, work: work)
  }

  /// The steps' matrices.
  ///
  /// Neighbours are multiplied into one if nothing is clipped between them.
  var matrices: [Bitmap.ColorMatrix] {
    var result: [Bitmap.ColorMatrix] = []
    for step in steps {
      if let last = result.last, last.staysInRange {
        result[result.count - 1] = last.then(step.matrix)
      } else {
        result.append(step.matrix)
      }
    }
    return result
  }

  static func == (left: ColorChain, right: ColorChain) -> Bool { left.cacheKey == right.cacheKey }

  func hash(into hasher: inout Hasher) { hasher.combine(cacheKey) }
}
