import EaselCore

extension PixelColor {
  /// The straight components from 0 to 1, in the order of the layout.
  func components(for layout: PixelFormat.Layout) -> [Float] {
    let first = layout == .bgra8 ? blue : red
    let third = layout == .bgra8 ? red : blue
    return [first, green, third, alpha].map { Float($0) / 255 }
  }

  /// The bytes of one pixel of this colour.
  func pixel(in format: PixelFormat) -> [UInt8] {
    guard format.layout != .gray8 else { return [luma] }
    let scale = format.layout == .rgba16 ? 65_535.0 : 255
    let straight = components(for: format.layout).map(Double.init)
    let factor = format.alpha == .premultiplied ? straight[3] : 1
    let components = straight.enumerated().map { index, value in
      UInt16((value * (index == 3 ? 1 : factor) * scale).rounded())
    }
    guard format.layout == .rgba16 else { return components.map(UInt8.init) }
    return components.withUnsafeBytes(Array.init)
  }

  package var isGray: Bool { red == green && green == blue }

  private var luma: UInt8 {
    let weighted = 2126 * Int(red) + 7152 * Int(green) + 722 * Int(blue)
    return UInt8((weighted + 5000) / 10_000)
  }
}
