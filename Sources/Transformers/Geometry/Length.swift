import EaselCore

extension TransformerPipeline {
  /// A length in pixels, or as a share of a picture's side.
  public enum Length: Hashable, Sendable {
    /// A number of pixels.
    case pixels(Int)
    /// A share of the picture's width or height; 1 is the whole side.
    case share(Double)

    /// The number of pixels, or the share followed by `s`.
    package var keyText: String {
      switch self {
      case .pixels(let count): "\(count)"
      case .share(let share): KeyText.number(share) + "s"
      }
    }

    /// The same share, or the number of pixels multiplied and rounded.
    func scaled(by factor: Double) -> Length {
      guard case .pixels(let count) = self else { return self }
      return .pixels(count.scaled(by: factor))
    }

    var negated: Length {
      switch self {
      case .pixels(let count): .pixels(count == .min ? .max : -count)
      case .share(let share): .share(-share)
      }
    }

    package func pixels(of side: Double, pixel: Double = 1) -> Double {
      switch self {
      case .pixels(let count): Double(count) * pixel
      case .share(let share): share * side
      }
    }
  }
}

extension Int {
  /// The number multiplied and rounded to nearest; what no `Int` can hold becomes the nearest that it can.
  func scaled(by factor: Double) -> Int {
    if factor == 1 { return self }
    return Int(exactly: (Double(self) * factor).rounded()) ?? (self < 0 ? .min : .max)
  }
}
