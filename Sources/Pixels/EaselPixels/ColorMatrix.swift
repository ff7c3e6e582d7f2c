import EaselCore

extension Bitmap {
  /// A linear mix of red, green, blue and alpha (straight, from 0 to 1), with a constant.
  public struct ColorMatrix: Hashable, Sendable {
    /// Four rows, for red, green, blue and alpha; each has the weights of red, green, blue and alpha, and a constant.
    public let rows: [[Double]]

    /// Creates a matrix of four rows of five numbers.
    public init(rows: [[Double]]) {
      precondition(
        rows.count == 4 && rows.allSatisfy { $0.count == 5 }, "A colour matrix has four rows of five numbers.")
      self.rows = rows
    }

    /// The matrix that changes nothing.
    public static let identity = ColorMatrix(rows: [
      [1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0],
    ])

    /// Returns a matrix that applies this one and then `next`.
    public func then(_ next: ColorMatrix) -> ColorMatrix {
      ColorMatrix(
        rows: next.rows.map { row in
          (0..<5).map { column in
            let mixed = (0..<4).reduce(0) { $0 + row[$1] * rows[$1][column] }
            return column == 4 ? mixed + row[4] : mixed
          }
        })
    }

    /// True when all results are from 0 to 1, so that nothing is clipped.
    package var staysInRange: Bool {
      rows.allSatisfy { row in
        let lowest = row[4] + row[..<4].reduce(0) { $0 + min(0, $1) }
        let highest = row[4] + row[..<4].reduce(0) { $0 + max(0, $1) }
        return lowest >= -1e-9 && highest <= 1 + 1e-9
      }
    }

    /// True when grey pixels stay grey.
    package var keepsGray: Bool {
      let sums = rows[..<3].map { row in [row[0] + row[1] + row[2], row[3], row[4]] }
      let isEven = sums.allSatisfy { sum in zip(sum, sums[0]).allSatisfy { abs($0 - $1) < 1e-9 } }
      return isEven && keepsAlpha
    }

    /// True when alpha does not change.
    package var keepsAlpha: Bool { rows[3] == [0, 0, 0, 1, 0] }
  }
}
