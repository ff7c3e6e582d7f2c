import EaselCore
import EaselPixels
import EaselTestPixels

/// A picture drawn by whole numbers, which are the same on every machine, and a changed copy of it.
struct DrawnPair: CustomStringConvertible, Sendable {
  enum Change: CaseIterable { case coarse, shifted, blocks, speckled, faint }
  enum Kind { case rgb, gray, rgba }

  private let width: Int
  private let height: Int
  private let change: Change
  private let kind: Kind

  init(_ width: Int, _ height: Int, _ change: Change, _ kind: Kind = .rgb) {
    (self.width, self.height, self.change, self.kind) = (width, height, change, kind)
  }

  var isFlatOrNearlyEqual: Bool { change == .faint || kind == .gray }

  var description: String { "\(width)x\(height) \(change) \(kind)" }

  func original() throws -> Bitmap { try draw(Self.color, alpha: Self.alpha) }

  func copy() throws -> Bitmap { try draw(changed, alpha: { Self.alpha($0 + 2, $1) }) }

  private func draw(_ color: (Int, Int) -> [Int], alpha: (Int, Int) -> Int) throws -> Bitmap {
    switch kind {
    case .rgb: try Bitmap(width, height, .opaqueRGBA8) { color($0, $1) + [255] }
    case .gray: try Bitmap(width, height, .gray8) { [color($0, $1)[1]] }
    case .rgba: try Bitmap(width, height, .rgba8) { color($0, $1) + [alpha($0, $1)] }
    }
  }

  private static func wave(_ place: Int, _ length: Int) -> Int { abs(place % (2 * length) - length) * 255 / length }

  private static func alpha(_ x: Int, _ y: Int) -> Int { wave(x + 3 * y, 80) }

  private static func color(_ x: Int, _ y: Int) -> [Int] {
    let isInside = (x - 40) * (x - 40) + (y - 30) * (y - 30) < 500
    return [
      (wave(x + 2 * y, 61) + wave(3 * x + y, 17)) / 2, (wave(x * y / 8, 97) + wave(y, 40)) / 2,
      isInside ? 220 : wave(2 * x + 5 * y, 150),
    ]
  }

  private func changed(_ x: Int, _ y: Int) -> [Int] {
    let color = Self.color(x, y)
    switch change {
    case .coarse: return color.map { $0 - $0 % 24 }
    case .shifted: return Self.color(x + 1, y)
    case .blocks: return zip(color, Self.color(x - x % 4, y - y % 4)).map { (3 * $0 + $1) / 4 }
    case .speckled: return (7 * x + 13 * y) % 11 == 0 ? color.map { $0 ^ 8 } : color
    case .faint: return (x + y) % 2 == 0 ? color.map { min(255, $0 + 1) } : color
    }
  }
}
