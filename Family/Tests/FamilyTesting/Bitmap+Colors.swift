import EaselCore

extension Bitmap {
  /// The red, green and blue of each pixel, row by row.
  package var colors: [UInt8] {
    let (bytes, isGray) = (format.bytesPerPixel, format.bytesPerPixel == 1)
    var colors: [UInt8] = []
    colors.reserveCapacity(3 * width * height)
    withUnsafeBytes { pixels in
      for row in 0..<height {
        for column in 0..<width {
          let start = row * bytesPerRow + column * bytes
          for color in 0..<3 { colors.append(pixels[isGray ? start : start + color]) }
        }
      }
    }
    return colors
  }

  /// The red, green and blue of one pixel.
  package func color(_ x: Int, _ y: Int) -> [UInt8] {
    let start = 3 * (y * width + x)
    return Array(colors[start..<(start + 3)])
  }

  /// The mean difference from a picture of the same size, from 0 to 255; both are averaged over squares of so many pixels.
  package func difference(_ other: Bitmap, over side: Int = 1) -> Double {
    guard size == other.size else { return 255 }
    let (left, right) = (colors, other.colors)
    let columns = (width + side - 1) / side
    var sums = [Int](repeating: 0, count: columns * ((height + side - 1) / side) * 3)
    for index in left.indices {
      let (pixel, color) = (index / 3, index % 3)
      let square = pixel / width / side * columns + pixel % width / side
      sums[3 * square + color] += Int(left[index]) - Int(right[index])
    }
    return Double(sums.reduce(0) { $0 + abs($1) }) / Double(max(1, left.count))
  }

  /// The share of colours that are not those of white.
  package var ink: Double {
    let all = colors
    return Double(all.filter { $0 < 250 }.count) / Double(all.count)
  }
}
