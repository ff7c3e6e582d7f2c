import EaselCore
import EaselPixels
import Glibc

extension Bitmap {
  /// A picture whose pixels come from a function, each as its components in the order of the layout.
  package init(_ width: Int, _ height: Int, _ format: PixelFormat, _ pixel: (Int, Int) -> [Int]) throws {
    var bitmap = try Bitmap(unfilled: PixelSize(width: width, height: height), format: format)
    let bytesPerRow = bitmap.bytesPerRow
    let isDeep = format.layout == .rgba16
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let start = y * bytesPerRow + x * format.bytesPerPixel
          for (index, value) in pixel(x, y).enumerated() {
            if isDeep {
              bytes.storeBytes(of: UInt16(value), toByteOffset: start + index * 2, as: UInt16.self)
            } else {
              bytes[start + index] = UInt8(value)
            }
          }
        }
      }
    }
    self = bitmap
  }

  /// A picture of one colour.
  package init(_ width: Int, _ height: Int, _ color: PixelColor, _ format: PixelFormat = .rgba8) throws {
    try self.init(unfilled: PixelSize(width: width, height: height), format: format)
    fill(color)
  }

  /// A picture of noise; premultiplied formats are made from straight noise, because random bytes are invalid there.
  package static func noise(_ width: Int, _ height: Int, _ format: PixelFormat, seed: UInt64 = 1) throws -> Bitmap {
    var random = SeededRandom(seed)
    let straight = PixelFormat(format.layout, alpha: format.alpha == .opaque ? .opaque : .straight)
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: straight)
    bitmap.withUnsafeMutableBytes { bytes in
      var position = 0
      while position + 8 <= bytes.count {
        bytes.storeBytes(of: random.next(), toByteOffset: position, as: UInt64.self)
        position += 8
      }
      for rest in position..<bytes.count { bytes[rest] = UInt8(truncatingIfNeeded: random.next()) }
    }
    if straight.alpha == .opaque && straight.layout != .gray8 {
      // Noise with alpha is laid over black, so that alpha is at its maximum as the format demands.
      bitmap.assumeAlpha(.straight)
      bitmap = try bitmap.flattened(over: .black)
    }
    return try bitmap.converted(to: format)
  }

  /// An opaque picture similar to a photograph: waves of several lengths, the longer ones stronger.
  package static func waves(_ width: Int, _ height: Int) throws -> Bitmap {
    func wave(_ count: Int, _ length: Double) -> [Double] { (0..<count).map { sin(Double($0) / length) } }
    let (columns, rows, diagonals) = (wave(width, 37), wave(height, 29), wave(width + 2 * height, 11))
    var bitmap = try Bitmap(unfilled: PixelSize(width: width, height: height), format: .opaqueRGBA8)
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let slow = 0.3 * columns[x] * rows[y]
          let fast = 0.12 * diagonals[x + 2 * y]
          let start = (y * width + x) * 4
          bytes[start] = UInt8(255 * (0.5 + slow + fast))
          bytes[start + 1] = UInt8(255 * (0.5 - slow + fast))
          bytes[start + 2] = UInt8(255 * (0.5 + slow - fast))
          bytes[start + 3] = 255
        }
      }
    }
    return bitmap
  }

  /// The components of a pixel in the order of the layout.
  package func components(_ x: Int, _ y: Int) -> [Int] {
    withUnsafeBytes { bytes in
      let start = y * bytesPerRow + x * format.bytesPerPixel
      guard format.layout == .rgba16 else { return (0..<format.bytesPerPixel).map { Int(bytes[start + $0]) } }
      return (0..<4).map { Int(bytes.load(fromByteOffset: start + $0 * 2, as: UInt16.self)) }
    }
  }

  /// The largest difference of any component between two pictures of the same size and format.
  package func largestDifference(from other: Bitmap) -> Int {
    differences(from: other).max() ?? 0
  }

  /// The similarity to a picture of the same size and format, in decibels.
  package func signalToNoise(against other: Bitmap) -> Double {
    let squares = differences(from: other).map { Double($0 * $0) }
    let mean = squares.reduce(0, +) / Double(max(1, squares.count))
    let top = format.layout == .rgba16 ? 65_535.0 : 255
    return mean == 0 ? .infinity : 10 * log10(top * top / mean)
  }

  private func differences(from other: Bitmap) -> [Int] {
    guard size == other.size, format == other.format else { return [.max >> 32] }
    let isDeep = format.layout == .rgba16
    let count = width * format.bytesPerPixel / (isDeep ? 2 : 1)
    return withUnsafeBytes { left in
      other.withUnsafeBytes { right in
        var result: [Int] = []
        result.reserveCapacity(count * height)
        for y in 0..<height {
          let (a, b) = (left.baseAddress! + y * bytesPerRow, right.baseAddress! + y * other.bytesPerRow)
          for i in 0..<count {
            let pair =
              isDeep
              ? (
                Int(a.load(fromByteOffset: i * 2, as: UInt16.self)), Int(b.load(fromByteOffset: i * 2, as: UInt16.self))
              )
              : (Int(a.load(fromByteOffset: i, as: UInt8.self)), Int(b.load(fromByteOffset: i, as: UInt8.self)))
            result.append(abs(pair.0 - pair.1))
          }
        }
        return result
      }
    }
  }
}
