import EaselCore

extension EncodeOptions.Setting<PNGPalette> {
  /// The palette of a written PNG; by default there is none.
  public static var pngPalette: EncodeOptions.Setting<PNGPalette> { EncodeOptions.Setting("png-palette") }
}

extension EncodeOptions.Setting<Int> {
  /// The effort with which a PNG is compressed: 1, 2 or 3.
  ///
  /// At 1 ``EaselCore/EncodeOptions/compressionLevel`` decides. At 2 all filters are tried on the whole picture, and the
  /// shortest form of its bytes is looked for. At 3 each row may have the filter with which it is compressed best, which
  /// takes many times as long. The default is 1, and 2 for a picture with a ``EaselPNG/PNGPalette``.
  public static var pngEffort: EncodeOptions.Setting<Int> { EncodeOptions.Setting("png-effort") }
}
