import CEaselPixels
import EaselCore

extension Bitmap {
  /// Returns the picture with its colours changed by a matrix.
  public func applying(_ matrix: ColorMatrix, work: WorkContext = WorkContext()) throws(ImageError) -> Bitmap {
    try applying([matrix], work: work)
  }

  /// Applies the matrices in order: all of them to one band of rows, then to the next band.
  package func applying(_ matrices: [ColorMatrix], work: WorkContext) throws(ImageError) -> Bitmap {
    let colored = matrices.allSatisfy(\.keepsGray) ? format : format.withColor
    let target = matrices.allSatisfy(\.keepsAlpha) ? colored : colored.withAlpha
    let source = try converted(to: target, work: work)
    var result = try Bitmap(unfilled: size, format: target)
    let numbers = matrices.map { $0.numbers(for: target.layout) }
    let (kernel, alpha, width) = (target.kernel, target.kernelAlpha, width)
    let (sourceBytesPerRow, targetBytesPerRow) = (source.bytesPerRow, result.bytesPerRow)
    try source.withBandPixels(writing: &result) { pixels throws(ImageError) in
      // The pieces are small, so that they stay in the cache between two matrices.
      let rowsAtOnce = max(1, 16_384 / width)
      try ParallelBands.run(of: height, length: width * max(1, numbers.count), work: work) { band in
        for first in stride(from: band.lowerBound, to: band.upperBound, by: rowsAtOnce) {
          let rows = min(rowsAtOnce, band.upperBound - first)
          let to = pixels.target + first * targetBytesPerRow
          var (from, fromBytesPerRow) = (pixels.source + first * sourceBytesPerRow, sourceBytesPerRow)
          for matrix in numbers {
            easel_color_matrix(kernel, alpha, from, fromBytesPerRow, to, targetBytesPerRow, width, rows, matrix)
            (from, fromBytesPerRow) = (UnsafeRawPointer(to), targetBytesPerRow)
          }
        }
      }
    }
    return result
  }
}

extension Bitmap.ColorMatrix {
  /// The numbers of the matrix, in the order in which the components are stored.
  fileprivate func numbers(for layout: PixelFormat.Layout) -> [Float] {
    let order = layout == .bgra8 ? [2, 1, 0, 3] : [0, 1, 2, 3]
    return order.flatMap { row in (order + [4]).map { Float(rows[row][$0]) } }
  }
}
