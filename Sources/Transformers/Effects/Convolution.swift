import EaselCore
import EaselPixels

/// Makes each pixel of its neighbours, each multiplied by a number of a matrix.
struct Convolution: BitmapTransformer {
  /// The numbers row by row.
  let numbers: [Double]
  /// The numbers of each row; 0 if the rows differ.
  let columns: Int
  /// The number by which all others are divided.
  let divisor: Double

  init(_ numbers: [Double], columns: Int, divisor: Double) {
    // A zero has no sign in keys.
    (self.numbers, self.columns, self.divisor) = (numbers.map { $0 == 0 ? 0 : $0 }, columns, divisor)
  }

  /// Creates a convolution; the divisor is the sum of the numbers if they are normalized and it is not zero.
  init(_ numbers: [Double], columns: Int, normalizes: Bool) {
    let sum = numbers.reduce(0, +)
    self.init(numbers, columns: columns, divisor: normalizes && sum != 0 ? sum : 1)
  }

  /// `Convolution(columns,divisor,{numbers})`.
  var cacheKey: String {
    let list = numbers.map(KeyText.number).joined(separator: ",")
    return KeyText.make("Convolution", "\(columns)", KeyText.number(divisor), "{\(list)}")
  }

  var isTrivial: Bool {
    guard numbers.count % 2 == 1, columns % 2 == 1 else { return false }
    let middle = numbers.count / 2
    return numbers.indices.allSatisfy { numbers[$0] == ($0 == middle ? divisor : 0) }
  }

  func checkParameters() throws(ImageError) {
    let most = Bitmap.mostMatrixSide
    try require(columns > 0 && numbers.count % columns == 0, "all rows must have the same number of numbers")
    for side in [columns, numbers.count / columns] {
      try require(
        side <= most && side % 2 == 1, "the matrix must have odd sides of at most \(most) numbers, but one has \(side)")
    }
    for number in numbers {
      try require(abs(number) <= Self.mostNumber, "a number must be from -1000000 to 1000000, but is \(number)")
    }
    try require(
      abs(divisor) >= 1 / Self.mostNumber && divisor.isFinite,
      "the sum of the numbers must be 0 or farther from it than a millionth, but is \(divisor)")
  }

  private static let mostNumber = 1e6

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    if isTrivial { return bitmap }
    return try bitmap.convolved(with: numbers.map { $0 / divisor }, columns: columns, work: work)
  }
}
