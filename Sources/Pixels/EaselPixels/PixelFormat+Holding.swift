import EaselCore

extension PixelFormat {
  /// This format, or the nearest format with alpha.
  package var withAlpha: PixelFormat {
    if layout == .gray8 { return .rgba8 }
    return alpha == .opaque ? PixelFormat(layout, alpha: .straight) : self
  }

  /// This format, or the nearest format with colour.
  package var withColor: PixelFormat { layout == .gray8 ? .opaqueRGBA8 : self }

  /// This format, or the nearest format that can also hold this colour.
  package func holding(_ color: PixelColor) -> PixelFormat {
    if color.alpha < 255 { return withAlpha }
    return color.isGray ? self : withColor
  }
}
