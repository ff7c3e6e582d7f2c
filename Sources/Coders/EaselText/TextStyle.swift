import EaselCore

/// The look of a text: its letters, their colours, and how lines are set.
///
/// ```swift
/// var style = TextStyle(family: "DejaVu Sans", size: 48, weight: 700)
/// style.outline = TextStyle.Outline(width: 2, color: .black)
/// style.alignment = .center
/// ```
public struct TextStyle: Hashable, Sendable {
  /// A line around the letters.
  public struct Outline: Hashable, Sendable {
    /// The pixels by which it surrounds the letters, at most 100.
    public var width: Double
    /// The colour of the line.
    public var color: PixelColor

    /// Creates a line of this width in pixels.
    public init(width: Double, color: PixelColor = .black) { (self.width, self.color) = (width, color) }
  }

  /// A shadow below the letters and their outline.
  public struct Shadow: Hashable, Sendable {
    /// The pixels by which it is moved to the right, from -1000 to 1000.
    public var x: Int
    /// The pixels by which it is moved down, from -1000 to 1000.
    public var y: Int
    /// The standard deviation of its blur in pixels, at most 100.
    public var blur: Double
    /// The colour, whose alpha is that of the shadow.
    public var color: PixelColor

    /// Creates a shadow, by default a soft black one a little below.
    public init(x: Int = 0, y: Int = 2, blur: Double = 2, color: PixelColor = .black) {
      (self.x, self.y, self.blur, self.color) = (x, y, blur, color)
    }
  }

  /// The place of lines that are shorter than others.
  public enum Alignment: Int, Hashable, Sendable, CaseIterable {
    /// At the side where reading begins: the right one for Arabic and Hebrew.
    case start = 0
    /// In the middle.
    case center = 1
    /// At the side where reading ends.
    case end = 2
    /// Stretched to the width at which lines are broken, but for the last line of a paragraph.
    case justified = 3
  }

  /// The direction in which paragraphs are read.
  public enum Direction: Int, Hashable, Sendable, CaseIterable {
    /// That of the first letter of each paragraph that has one.
    case automatic = 0
    /// From left to right.
    case leftToRight = 1
    /// From right to left.
    case rightToLeft = 2
  }

  /// The font's family; more of them stand behind commas, and `sans-serif` takes the place of those that are missing.
  public var family: String
  /// The size of the letters in pixels, from 1 to 1000.
  public var size: Double
  /// The weight of the letters, from 100 to 1000: 400 is usual and 700 is bold.
  public var weight: Int
  /// True for slanted letters.
  public var isItalic: Bool
  /// The colour of the letters; emoji have their own.
  public var color: PixelColor
  /// The line around the letters, nil for none.
  public var outline: Outline?
  /// The shadow below the letters, nil for none.
  public var shadow: Shadow?
  /// The place of lines that are shorter than others.
  public var alignment = Alignment.start
  /// The direction in which paragraphs are read.
  public var direction = Direction.automatic
  /// The distance of lines in heights of a line, from 0.5 to 3.
  public var lineSpacing = 1.0

  /// Creates the look of a text; white letters by default.
  public init(
    family: String = "sans-serif", size: Double = 32, weight: Int = 400, isItalic: Bool = false,
    color: PixelColor = .white, outline: Outline? = nil, shadow: Shadow? = nil
  ) {
    (self.family, self.size, self.weight, self.isItalic) = (family, size, weight, isItalic)
    (self.color, self.outline, self.shadow) = (color, outline, shadow)
  }
}
