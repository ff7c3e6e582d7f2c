import EaselCore
import FoundationEssentials

/// Pixels of a coding, and the colours of sRGB that a script computed for them from the specifications.
package struct ColorReference: Sendable, CustomStringConvertible {
  /// The description of the pixels.
  package let color: ColorDescription
  /// The pixels as they are stored: 16 bits, opaque.
  package let stored: Bitmap
  /// Red, green and blue of each pixel in sRGB, from 0 to 255.
  package let expected: [Double]

  package var description: String {
    "primaries \(color.coding.primaries), transfer \(color.coding.transfer), peak \(color.peak)"
  }

  /// All references, from a file that says how it was made.
  package static let all: [ColorReference] = {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = tests.appendingPathComponent("Data/color-references.txt")
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { fatalError("There is no \(file.path).") }
    var entries: [(numbers: [Int], words: String)] = []
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      if numbers.count == 3 { entries.append((numbers, "")) } else { entries[entries.count - 1].words += line }
    }
    return entries.map { ColorReference($0.numbers[0], $0.numbers[1], $0.numbers[2], $0.words) }
  }()

  private init(_ primaries: Int, _ transfer: Int, _ peak: Int, _ words: String) {
    var color = ColorDescription(coding: ColorDescription.Coding(primaries: primaries, transfer: transfer))
    if peak > 0 { color.contentLight = ColorDescription.ContentLight(greatest: peak, greatestAverage: 0) }
    self.color = color
    let bytes = [UInt8](Data(base64Encoded: words)!)
    expected = stride(from: 0, to: bytes.count, by: 2).map { Double(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1])) / 257 }
    stored = Self.picture(side: Int(Double(expected.count / 3).squareRoot()))
  }

  /// The same pixels that the script converts.
  private static func picture(side: Int) -> Bitmap {
    var bitmap = try! Bitmap(
      size: PixelSize(width: side, height: side), format: PixelFormat(.rgba16, alpha: .opaque))
    let last = side - 1
    bitmap.withUnsafeMutableBytes { bytes in
      let words = bytes.bindMemory(to: UInt16.self)
      for y in 0..<side {
        for x in 0..<side {
          let level = { (value: Int, most: Int) in value * 65_535 / most }
          var colors = [level(x, last), level(y, last), level(x + y, 2 * last)]
          if y % 4 == 3 { colors = [Int](repeating: level(x, last), count: 3) }
          if y >= side / 2 { colors = (0..<3).map { (x * 40_503 + y * 30_011 + $0 * 22_573 + x * y * 7919) % 65_536 } }
          for (index, value) in (colors + [65_535]).enumerated() { words[4 * (y * side + x) + index] = UInt16(value) }
        }
      }
    }
    return bitmap
  }

  /// The mean and the largest difference of a picture's colours from those expected, in steps of 8 bits.
  package func difference(of bitmap: Bitmap) -> (mean: Double, largest: Double) {
    var differences: [Double] = []
    bitmap.withUnsafeBytes { bytes in
      let isWide = bitmap.format.layout == .rgba16
      for index in expected.indices {
        let component = index / 3 * 4 + index % 3
        let value =
          isWide ? Double(bytes.bindMemory(to: UInt16.self)[component]) / 257 : Double(bytes[component])
        differences.append(abs(value - expected[index]))
      }
    }
    return (differences.reduce(0, +) / Double(differences.count), differences.max() ?? 0)
  }
}

extension ColorDescription {
  fileprivate var peak: Int { contentLight?.greatest ?? 0 }
}
