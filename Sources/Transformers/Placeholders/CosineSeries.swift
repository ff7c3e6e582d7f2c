import EaselCore
import Glibc

/// A picture as a sum of cosines: the values that both hashes store with fewer bits.
struct CosineSeries {
  /// The number of frequencies across.
  let columns: Int
  /// The number of frequencies down.
  let rows: Int
  /// The point of a pixel at which the cosine is taken: 0 is its edge, 0.5 its centre.
  let phase: Double
  /// One value for each pair of frequencies, row by row; each kind of hash decides what the four components mean.
  private var values: [SIMD4<Double>]

  init(columns: Int, rows: Int, phase: Double) {
    self.columns = columns
    self.rows = rows
    self.phase = phase
    values = Array(repeating: SIMD4(), count: columns * rows)
  }

  subscript(column: Int, row: Int) -> SIMD4<Double> {
    get { values[row * columns + column] }
    set { values[row * columns + column] = newValue }
  }

  /// The mean of the picture times the cosines of each pair of frequencies.
  init(of picture: SmallImage, columns: Int, rows: Int, phase: Double) {
    self.init(columns: columns, rows: rows, phase: phase)
    let (width, height) = (picture.size.width, picture.size.height)
    let across = Self.cosines(columns, over: width, phase: phase)
    let down = Self.cosines(rows, over: height, phase: phase)
    // Each row is summed once, and its sums serve all frequencies down.
    for y in 0..<height {
      for column in 0..<columns {
        var sum = SIMD4<Double>()
        for x in 0..<width { sum += picture.pixels[y * width + x] * across[x * columns + column] }
        for row in 0..<rows { self[column, row] += sum * down[y * rows + row] }
      }
    }
    for index in values.indices {
      values[index] /= Double(width * height)
      // A value that should be zero may be slightly off, and differently on each machine.
      values[index].replace(with: 0, where: values[index] .< 1e-9 .& values[index] .> -1e-9)
    }
  }

  /// Draws the series at a size; `color` turns a sum into red, green, blue and alpha from 0 to 1.
  func image(
    size: PixelSize, format: PixelFormat, work: WorkContext, color: (SIMD4<Double>) -> SIMD4<Double>
  ) throws(ImageError) -> Image {
    var bitmap = try Bitmap(unfilled: size, format: format)
    let bytesPerRow = bitmap.bytesPerRow
    let across = Self.cosines(columns, over: size.width, phase: phase)
    let down = Self.cosines(rows, over: size.height, phase: phase)
    try bitmap.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      for y in 0..<size.height {
        try work.checkCancellation()
        let sums = (0..<columns).map { column in
          (0..<rows).reduce(SIMD4<Double>()) { $0 + self[column, $1] * down[y * rows + $1] }
        }
        for x in 0..<size.width {
          var sum = SIMD4<Double>()
          for column in 0..<columns { sum += sums[column] * across[x * columns + column] }
          let scaled = (color(sum) * 255).clamped(lowerBound: SIMD4(), upperBound: SIMD4(repeating: 255))
          let pixel = SIMD4<UInt8>(scaled.rounded(.toNearestOrAwayFromZero))
          for index in 0..<4 { bytes[y * bytesPerRow + x * 4 + index] = pixel[index] }
        }
      }
    }
    return Image(bitmap)
  }

  /// The cosine of every frequency at every place, all frequencies of a place together.
  private static func cosines(_ count: Int, over length: Int, phase: Double) -> [Double] {
    (0..<length * count).map { cos(.pi / Double(length) * Double($0 % count) * (Double($0 / count) + phase)) }
  }
}
