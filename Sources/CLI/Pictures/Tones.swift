import Easel

/// The two colours that replace black and white in duotone, written as `#102040,#ffeedd`.
struct Tones: Sendable {
  let shadows: PixelColor
  let highlights: PixelColor

  init?(reading text: String) {
    let colors = text.split(separator: ",", omittingEmptySubsequences: false).map { PixelColor(reading: String($0)) }
    guard colors.count == 2, let shadows = colors[0], let highlights = colors[1] else { return nil }
    self.shadows = shadows
    self.highlights = highlights
  }
}
