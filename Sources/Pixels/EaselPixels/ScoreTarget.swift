import EaselCore

/// The looks that a lossy file must have, in place of a quality.
///
/// The encoder looks for the quality at which the file has this SSIMULACRA2 score beside the picture that it was made
/// of: at 90 it cannot be told from the picture, and 70 is high quality. A picture that shows loss early gets more
/// bytes, and one that hides it gets fewer. Most pictures are encoded once or twice, and none more than five times.
///
/// ```swift
/// let recipe = EncodeRecipe(.webp, .jpeg, options: .target(score: 75))
/// ```
public struct ScoreTarget: Hashable, Sendable, LosslessStringConvertible {
  /// The score, from 0 to 100.
  public let score: Double
  /// The distance from the score at which a file is good enough.
  public let tolerance: Double
  /// The qualities among which the encoder looks, from 0 to 1 on the scale of looks.
  ///
  /// If none of them has the score, the file has the one that comes nearest.
  public let qualities: ClosedRange<Double>

  /// The usual tolerance: differences of two points are just seen.
  public static let usualTolerance = 1.0
  /// All qualities of lossy formats that are of use.
  public static let usualQualities = 0.05...1.0
  /// The score that photographs of the quality 0.8 have in the mean, nearly.
  public static let usualScore = 80.0

  /// Creates a target; values out of their ranges are brought into them.
  public init(
    _ score: Double = Self.usualScore, tolerance: Double = Self.usualTolerance,
    qualities: ClosedRange<Double> = Self.usualQualities
  ) {
    self.score = Self.hundredths(score, in: 0...100)
    self.tolerance = Self.hundredths(tolerance, in: 0.1...50)
    let low = Self.hundredths(qualities.lowerBound, in: 0...1)
    self.qualities = low...max(low, Self.hundredths(qualities.upperBound, in: 0...1))
  }

  /// A number that a short text can tell; a number that is none becomes the least.
  private static func hundredths(_ number: Double, in range: ClosedRange<Double>) -> Double {
    guard number > range.lowerBound else { return range.lowerBound }
    return (min(number, range.upperBound) * 100).rounded() / 100
  }

  /// Reads a text such as `75`, `75/0.5` or `75/1/0.3-0.9`.
  public init?(_ description: String) {
    let parts = description.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 3, let score = Double(parts[0]), (0...100).contains(score) else { return nil }
    var (tolerance, qualities) = (Self.usualTolerance, Self.usualQualities)
    if parts.count > 1 {
      guard let number = Double(parts[1]), (0.1...50).contains(number) else { return nil }
      tolerance = number
    }
    if parts.count > 2 {
      let bounds = parts[2].split(separator: "-", omittingEmptySubsequences: false).map { Double($0) }
      guard bounds.count == 2, let low = bounds[0], let high = bounds[1], low >= 0, low <= high, high <= 1 else {
        return nil
      }
      qualities = low...high
    }
    self.init(score, tolerance: tolerance, qualities: qualities)
  }

  /// The text that ``init(_:)`` reads.
  public var description: String {
    var text = Self.text(score)
    if tolerance != Self.usualTolerance || qualities != Self.usualQualities { text += "/\(Self.text(tolerance))" }
    if qualities != Self.usualQualities {
      text += "/\(Self.text(qualities.lowerBound))-\(Self.text(qualities.upperBound))"
    }
    return text
  }

  private static func text(_ number: Double) -> String {
    number == number.rounded() ? "\(Int(number))" : "\(number)"
  }
}

extension EncodeOptions.Setting<ScoreTarget> {
  /// The looks that a lossy JPEG, WebP, AVIF or JPEG XL must have; by default the quality decides.
  ///
  /// A limit of bytes comes before it: to keep that, the quality falls further.
  public static var scoreTarget: EncodeOptions.Setting<ScoreTarget> { EncodeOptions.Setting("score") }
}

extension EncodeOptions {
  /// The options for a lossy file that looks as good as this score says, whatever the picture.
  ///
  /// ```swift
  /// let file = try await manager.encode(image, as: .webp, options: .target(score: 75))
  /// ```
  public static func target(score: Double) -> EncodeOptions {
    var options = EncodeOptions()
    options.settings[.scoreTarget] = ScoreTarget(score)
    return options
  }
}
