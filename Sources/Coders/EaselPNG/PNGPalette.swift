import EaselCore

/// The palette of a written PNG: few colours, in a file of a fraction of the bytes.
///
/// ```swift
/// var options = EncodeOptions()
/// options.settings[.pngPalette] = PNGPalette(colors: 64)
/// options.settings[.pngPalette] = PNGPalette(quality: 60...85)
/// ```
///
/// A picture with no more colours than these keeps all of them. Moving pictures and pixels with a profile for grey have no
/// palette; those of 16 bits become pixels of 8 bits.
public struct PNGPalette: Hashable, Sendable, LosslessStringConvertible {
  /// The most colours, from 2 to 256.
  public let colors: Int
  /// The quality from 0 to 100 that is enough, after the quality that is demanded.
  ///
  /// The palette has only the colours that the upper bound needs. If they do not even reach the lower bound, the picture
  /// is written without a palette and without loss.
  public let quality: ClosedRange<Int>
  /// The share of its error that a pixel spreads to its neighbours, from 0 to 1.
  ///
  /// That hides bands, and makes the file larger. Even parts and edges get less of it.
  public let dithering: Double

  /// Creates a palette of at most so many colours.
  public init(colors: Int = 256, quality: ClosedRange<Int> = 0...100, dithering: Double = Self.usualDithering) {
    self.colors = min(256, max(2, colors))
    self.quality = quality.clamped(to: 0...100)
    // NaN becomes 0.
    self.dithering = dithering > 0 ? min(1, (dithering * 100).rounded() / 100) : 0
  }

  /// The dithering of palettes for which none is given.
  public static let usualDithering = 0.8

  /// Reads a text such as `64`, `256/60-85` or `16/0-100/0.5`.
  public init?(_ description: String) {
    let parts = description.split(separator: "/", omittingEmptySubsequences: false)
    guard let colors = Int(parts[0]), (2...256).contains(colors), parts.count <= 3 else { return nil }
    var quality = 0...100
    var dithering = Self.usualDithering
    if parts.count > 1 {
      let bounds = parts[1].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard bounds.count == 2, let low = bounds[0], let high = bounds[1], low >= 0, low <= high, high <= 100 else {
        return nil
      }
      quality = low...high
    }
    if parts.count > 2 {
      guard let share = Double(parts[2]), share >= 0, share <= 1 else { return nil }
      dithering = share
    }
    self.init(colors: colors, quality: quality, dithering: dithering)
  }

  /// The text that ``init(_:)`` reads.
  public var description: String {
    var text = "\(colors)"
    if quality != 0...100 || dithering != Self.usualDithering { text += "/\(quality.lowerBound)-\(quality.upperBound)" }
    if dithering != Self.usualDithering { text += "/\(dithering)" }
    return text
  }

  /// The mean squared error of this quality, in steps of brightness; of 0 any.
  static func error(of quality: Int) -> Double {
    guard quality > 0 else { return .infinity }
    let root = Double(100 - quality) * 0.07
    return root * root
  }
}
