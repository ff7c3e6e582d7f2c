import EaselCore

/// A palette of at most 256 colours for a picture.
///
/// Colours are counted in a cube with 32 steps per side. The cube is divided into boxes where pixels differ most, and
/// each box becomes the mean colour of its pixels. A picture with few colours usually keeps them exactly.
struct ColorPalette {
  static let mostColors = 256

  private(set) var colors: [PixelColor] = []
  private var indices = [UInt8](repeating: 0, count: 1 << 15)

  init(of bitmap: Bitmap) {
    var cells = [Cell](repeating: Cell(), count: 1 << 15)
    bitmap.withPixels { pixel in
      for row in 0..<bitmap.height {
        for column in 0..<bitmap.width {
          let (red, green, blue, alpha) = pixel(column, row)
          if alpha >= 128 { cells[Self.place(red, green, blue)].add(red, green, blue) }
        }
      }
    }
    var boxes = [Box(members: cells.indices.filter { cells[$0].count > 0 }, cells)]
    while boxes.count < Self.mostColors, let largest = boxes.indices.max(by: { boxes[$0].spread < boxes[$1].spread }),
      boxes[largest].spread > 0
    {
      let (first, second) = boxes[largest].halves(cells)
      boxes[largest] = first
      boxes.append(second)
    }
    for box in boxes where !box.members.isEmpty {
      for member in box.members { indices[member] = UInt8(colors.count) }
      colors.append(box.mean(cells))
    }
  }

  func index(of red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int { Int(indices[Self.place(red, green, blue)]) }

  private static func place(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int {
    Int(red >> 3) << 10 | Int(green >> 3) << 5 | Int(blue >> 3)
  }

  /// The pixels of similar colours.
  private struct Cell {
    var count = 0
    var sums = SIMD4<Int>()

    mutating func add(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
      count += 1
      sums &+= SIMD4(Int(red), Int(green), Int(blue), 0)
    }
  }

  private struct Box {
    let members: [Int]
    /// The benefit of dividing the box: its longest side times the number of its pixels.
    let spread: Int
    private let axis: Int

    init(members: [Int], _ cells: [Cell]) {
      self.members = members
      let sides = [10, 5, 0].map { shift -> Int in
        let values = members.lazy.map { $0 >> shift & 31 }
        return (values.max() ?? 0) - (values.min() ?? 0)
      }
      axis = sides.firstIndex(of: sides.max()!)!
      spread = sides[axis] * members.reduce(0) { $0 + cells[$1].count }
    }

    /// Divides the box into two boxes with about the same number of pixels.
    func halves(_ cells: [Cell]) -> (Box, Box) {
      let shift = [10, 5, 0][axis]
      let sorted = members.sorted { ($0 >> shift & 31, $0) < ($1 >> shift & 31, $1) }
      let half = sorted.reduce(0) { $0 + cells[$1].count } / 2
      var count = 0
      let cut = sorted.firstIndex { member in
        count += cells[member].count
        return count > half
      }
      let middle = min(max(1, cut ?? 1), sorted.count - 1)
      return (Box(members: Array(sorted[..<middle]), cells), Box(members: Array(sorted[middle...]), cells))
    }

    func mean(_ cells: [Cell]) -> PixelColor {
      let count = members.reduce(0) { $0 + cells[$1].count }
      let sums = members.reduce(SIMD4<Int>()) { $0 &+ cells[$1].sums }
      let component = { (index: Int) in UInt8((sums[index] + count / 2) / max(1, count)) }
      return PixelColor(red: component(0), green: component(1), blue: component(2))
    }
  }
}
