import EaselCore
import Foundation

/// A Radiance picture as a file, in any form that the format has.
struct HandmadeRadiance {
  /// The forms of rows.
  enum Form: CaseIterable {
    case flat, oldRuns, runs
  }

  var width: Int
  var height: Int
  var form = Form.runs
  var lines = ["#?RADIANCE", "# made by hand", "FORMAT=32-bit_rle_rgbe"]
  var axes = ("-Y", "+X")
  var lineEnd = "\n"
  /// Red, green and blue of a place, in rows as they are stored.
  var light: (_ x: Int, _ y: Int) -> [Double]

  /// The bytes before the pixels.
  var header: [UInt8] {
    let size = "\(axes.0) \(height) \(axes.1) \(width)"
    return Array((lines + ["", size]).map { $0 + lineEnd }.joined().utf8)
  }

  var bytes: [UInt8] { header + (0..<height).flatMap(row) }

  private func row(_ y: Int) -> [UInt8] {
    let pixels = (0..<width).map { Self.pixel(light($0, y)) }
    switch form {
    case .flat: return pixels.flatMap { $0 }
    case .oldRuns:
      return Self.runs(pixels).flatMap { pixel, count -> [UInt8] in
        // The number of repeats is written in bytes, the lowest first.
        var (result, rest) = (pixel, count - 1)
        while rest > 0 {
          result += [1, 1, 1, UInt8(rest & 255)]
          rest >>= 8
        }
        return result
      }
    case .runs:
      let components = (0..<4).flatMap { component in
        Self.runs(pixels.map { $0[component] }).flatMap { value, count -> [UInt8] in
          stride(from: 0, to: count, by: 127).flatMap { start -> [UInt8] in
            let length = min(127, count - start)
            // Single values are written as such.
            return length == 1 ? [1, value] : [UInt8(128 + length), value]
          }
        }
      }
      return [2, 2, UInt8(width >> 8), UInt8(width & 255)] + components
    }
  }

  /// The same elements one after another, and how many there are.
  private static func runs<Element: Equatable>(_ elements: [Element]) -> [(Element, Int)] {
    var result: [(Element, Int)] = []
    for element in elements {
      if result.last?.0 == element { result[result.count - 1].1 += 1 } else { result.append((element, 1)) }
    }
    return result
  }

  /// Three components and the exponent that they share.
  static func pixel(_ light: [Double]) -> [UInt8] {
    let most = light.max() ?? 0
    guard most > 1e-32 else { return [0, 0, 0, 0] }
    let exponent = Int(log2(most).rounded(.down)) + 1
    return light.map { UInt8(min(255, $0 * pow(2, Double(8 - exponent)))) } + [UInt8(exponent + 128)]
  }
}
