import Easel

/// The looks that lossy files are to have: a quality, or a score that each picture is to reach.
enum WantedQuality: Sendable {
  /// From 0 to 1.
  case quality(Double)
  case score(ScoreTarget)

  /// Reads `0.8`, `80`, `auto` or `auto:75`.
  init?(reading text: String) {
    if text == "auto" {
      self = .score(ScoreTarget())
    } else if text.hasPrefix("auto:") {
      guard let score = Double(plain: String(text.dropFirst(5))), (0...100).contains(score) else { return nil }
      self = .score(ScoreTarget(score))
    } else {
      guard let quality = Self.number(text) else { return nil }
      self = .quality(quality)
    }
  }

  /// Reads a quality from 0 to 1 or from 2 to 100, and returns it from 0 to 1.
  static func number(_ text: String) -> Double? {
    // Between 1 and 2, the scale would be unclear.
    Double(plain: text).flatMap { (0...1).contains($0) ? $0 : (2...100).contains($0) ? $0 / 100 : nil }
  }

  /// The expectation of options that take nothing but a number.
  static let expectedNumber = "a number from 0 to 1, or from 2 to 100"

  func apply(to options: inout EncodeOptions) {
    switch self {
    case .quality(let quality): options.quality = quality
    case .score(let target): options.settings[.scoreTarget] = target
    }
  }
}
