import EaselCore

/// The part of a picture that a URL names: `full`, `square`, `x,y,w,h` or `pct:x,y,w,h`.
struct IIIFRegion: Sendable {
  private enum Form: Sendable {
    case full, square
    case pixels(PixelRect)
    /// From 0 to 100.
    case percentages(x: Double, y: Double, width: Double, height: Double)
  }

  private let form: Form

  private static let mostPixels = 1_000_000_000

  init(_ text: String) throws(ServiceError) {
    switch text {
    case "full": form = .full
    case "square": form = .square
    default:
      let isShare = text.hasPrefix("pct:")
      let parts = text.dropFirst(isShare ? 4 : 0).split(separator: ",", omittingEmptySubsequences: false)
      if isShare {
        let numbers = parts.compactMap { GrammarNumber.decimal($0, 0...1_000_000) }
        guard parts.count == 4, numbers.count == 4 else { throw Self.wrong(text) }
        form = .percentages(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
      } else {
        let numbers = parts.compactMap { GrammarNumber.whole($0, 0...Self.mostPixels) }
        guard parts.count == 4, numbers.count == 4 else { throw Self.wrong(text) }
        form = .pixels(PixelRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
      }
    }
  }

  private static func wrong(_ text: String) -> ServiceError {
    ServiceError(
      400,
      "The region must be full, square, x,y,w,h in pixels or pct:x,y,w,h, not '\(GrammarAddress.shown(text))'.")
  }

  /// The pixels of the part that lie in a picture.
  func rect(in full: PixelSize) throws(ServiceError) -> PixelRect {
    let whole = PixelRect(covering: full)
    let rect: PixelRect
    switch form {
    case .full: return whole
    case .square:
      let side = min(full.width, full.height)
      return PixelRect(x: (full.width - side) / 2, y: (full.height - side) / 2, width: side, height: side)
    case .pixels(let pixels): rect = pixels
    case .percentages(let x, let y, let width, let height):
      func pixels(_ share: Double, _ side: Int) -> Int { Int((share / 100 * Double(side)).rounded()) }
      rect = PixelRect(
        x: pixels(x, full.width), y: pixels(y, full.height), width: pixels(width, full.width),
        height: pixels(height, full.height))
    }
    let part = rect.intersection(whole)
    guard !part.isEmpty else {
      throw ServiceError(400, "The region has no pixels of the picture, which is \(full).")
    }
    return part
  }

  static func canonicalText(_ rect: PixelRect, of full: PixelSize) -> String {
    rect == PixelRect(covering: full) ? "full" : "\(rect.x),\(rect.y),\(rect.width),\(rect.height)"
  }
}
