import EaselCore

extension PixelFormat {
  /// This format, or the nearest with alpha.
  package var withAlpha: PixelFormat {
    if layout == .gray8 { return .rgba8 }
    return alpha == .opaque ? PixelFormat(layout, alpha: .straight) : self
  }

  /// This format, or the nearest with colour.
  package var withColor: PixelFormat { layout == .gray8 ? .opaqueRGBA8 : self }

  /// This format, or the nearest that can also hold a colour.
  package func holding(_ color: PixelColor) -> PixelFormat {
    if color.alpha < 255 { return withAlpha }
    return color.isGray ? self : withColor
  }
}
