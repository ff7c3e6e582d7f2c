import EaselCore

extension RowResampler {
  /// A part of a picture whose edges may lie between pixels.
  public struct Box: Hashable, Sendable {
    /// The distance of the box's left edge from that of the picture.
    public var x: Double
    /// The distance of the box's top edge from that of the picture.
    public var y: Double
    /// The width in pixels.
    public var width: Double
    /// The height in pixels.
    public var height: Double

    /// Takes the top left corner and the sides, which may lie between pixels.
    public init(x: Double, y: Double, width: Double, height: Double) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }

    /// Creates the box of a rectangle of whole pixels.
    public init(_ rect: PixelRect) {
      self.init(x: Double(rect.x), y: Double(rect.y), width: Double(rect.width), height: Double(rect.height))
    }
  }
}
