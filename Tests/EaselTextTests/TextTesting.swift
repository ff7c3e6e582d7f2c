import EaselCore
import EaselPixels
import EaselTestPixels

@testable import EaselText

/// Texts drawn for tests.
enum TextTesting {
  /// The letters of a text on transparent pixels.
  ///
  /// The family is that of a package that the tests need, fonts-dejavu-core.
  static func drawn(
    _ text: String, width: Int? = nil, isMarkup: Bool = false, limits: Limits = Limits(),
    _ change: (inout TextStyle) -> Void = { _ in }
  ) throws(ImageError) -> Bitmap {
    var style = TextStyle(family: "DejaVu Sans", size: 20, color: .black)
    change(&style)
    return try TextDrawing(text: text, isMarkup: isMarkup, style: style).bitmap(
      width: width, work: WorkContext(limits: limits))
  }
}

extension Bitmap {
  /// The rectangle around all pixels whose components fit; nil if there is none.
  func bounds(where fits: ([Int]) -> Bool) -> PixelRect? {
    var (left, top, right, bottom) = (Int.max, Int.max, -1, -1)
    for y in 0..<height {
      for x in 0..<width where fits(components(x, y)) {
        (left, top, right, bottom) = (min(left, x), min(top, y), max(right, x), max(bottom, y))
      }
    }
    return right < 0 ? nil : PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }

  /// The rectangle around all pixels that are seen.
  var ink: PixelRect? { bounds { $0[3] > 0 } }

  /// The sum of all opacities.
  var coverage: Int { (0..<height).reduce(0) { sum, y in (0..<width).reduce(sum) { $0 + components($1, y)[3] } } }
}
