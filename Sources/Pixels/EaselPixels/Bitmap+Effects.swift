import CEaselPixels
import EaselCore

extension Bitmap {
  /// Returns the picture blurred with three box passes, which approximate a Gaussian of this standard deviation.
  public func blurred(radius: Double, work: WorkContext = WorkContext()) throws(ImageError) -> Bitmap {
    guard radius > 0 else { return self }
    // The number of rows or columns that are blurred together.
    let unit = 64 / format.bytesPerPixel
    let box = easel_gaussian_box_radius(radius, 3)
    var result = try Bitmap(unfilled: size, format: format)
    let (kernel, alpha, targetBytesPerRow) = (format.kernel, format.kernelAlpha, result.bytesPerRow)
    try withStarts(writing: &result) { (source, target) throws(ImageError) in
      try Self.inBands(of: height, length: width * 2, unit: unit, work: work) { (rows: Range<Int>) throws(ImageError) in
        try check(
          easel_blur_rows(
            kernel, alpha, box, 3, source + rows.lowerBound * bytesPerRow, bytesPerRow,
            target + rows.lowerBound * targetBytesPerRow, targetBytesPerRow, width, rows.count), "blur")
      }
      try Self.inBands(of: width, length: height * 2, unit: unit, work: work) {
        (columns: Range<Int>) throws(ImageError) in
        try check(
          easel_blur_columns(
            kernel, alpha, box, 3, target, targetBytesPerRow, width, height, columns.lowerBound, columns.count),
          "blur")
      }
    }
    return result
  }

  /// Returns the picture with its edges emphasized (unsharp mask).
  package func sharpened(amount: Double, radius: Double, work: WorkContext) throws(ImageError) -> Bitmap {
    var result = try blurred(radius: radius, work: work)
    let (kernel, alpha, targetBytesPerRow) = (format.kernel, format.kernelAlpha, result.bytesPerRow)
    try withStarts(writing: &result) { (source, target) throws(ImageError) in
      try Self.inBands(of: height, length: width, work: work) { (rows: Range<Int>) throws(ImageError) in
        easel_unsharp(
          kernel, alpha, source + rows.lowerBound * bytesPerRow, bytesPerRow,
          target + rows.lowerBound * targetBytesPerRow, targetBytesPerRow, width, rows.count, Float(amount), 0)
      }
    }
    return result
  }

  /// The most columns and rows of a matrix for ``convolved(with:columns:work:)``.
  package static var mostMatrixSide: Int { Int(EASEL_MOST_MATRIX_SIDE) }

  /// Returns the picture with each pixel made of its neighbours, each multiplied by a number of the matrix.
  ///
  /// The transparency stays. Pixels at the edges are repeated.
  package func convolved(with numbers: [Double], columns: Int, work: WorkContext) throws(ImageError) -> Bitmap {
    let numbers = numbers.map { Float($0) }
    let (kernel, alpha) = (format.kernel, format.kernelAlpha)
    var result = try Bitmap(unfilled: size, format: format)
    let targetBytesPerRow = result.bytesPerRow
    try withStarts(writing: &result) { (source, target) throws(ImageError) in
      let length = width * (1 + numbers.count / 8)
      try Self.inBands(of: height, length: length, work: work) { (rows: Range<Int>) throws(ImageError) in
        easel_convolve(
          kernel, alpha, source, bytesPerRow, target, targetBytesPerRow, width, height, rows.lowerBound, rows.count,
          numbers, columns, numbers.count / columns)
      }
    }
    return result
  }

  /// Returns the picture with rounded corners and a border inside its edge.
  ///
  /// `corners` is a sum: top left 1, top right 2, bottom left 4, bottom right 8.
  package func roundingCorners(
    radius: Double, corners: Int, borderWidth: Double, borderColor: PixelColor?, work: WorkContext
  ) throws(ImageError) -> Bitmap {
    let isRound = radius > 0 && corners != 0
    let source = try converted(to: format.withColor, work: work)
    var result = try Bitmap(unfilled: size, format: isRound ? source.format.withAlpha : source.format)
    let (sourceFormat, targetAlpha, targetBytesPerRow) = (source.format, result.format.kernelAlpha, result.bytesPerRow)
    let ink = borderColor?.components(for: source.format.layout) ?? [0, 0, 0, 0]
    try source.withStarts(writing: &result) { (start, target) throws(ImageError) in
      try Self.inBands(of: height, length: width, work: work) { (rows: Range<Int>) throws(ImageError) in
        easel_round_corners(
          sourceFormat.kernel, sourceFormat.kernelAlpha, start, source.bytesPerRow, target, targetBytesPerRow,
          targetAlpha, width, height, rows.lowerBound, rows.count, radius, UInt32(corners), borderWidth, ink)
      }
    }
    return result
  }
}
