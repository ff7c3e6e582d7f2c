import EaselCore

extension PixelFormat {
  /// The format in which files store pixels of this format: grey, or red, green, blue and straight alpha.
  public var stored: PixelFormat { stored(with: self) }

  /// The format in which one file can store pixels of both formats.
  func stored(with other: PixelFormat) -> PixelFormat {
    if layout == .gray8 && other.layout == .gray8 { return self }
    let isWide = layout == .rgba16 || other.layout == .rgba16
    let isOpaque = alpha == .opaque && other.alpha == .opaque
    return PixelFormat(isWide ? .rgba16 : .rgba8, alpha: isOpaque ? .opaque : .straight)
  }
}
