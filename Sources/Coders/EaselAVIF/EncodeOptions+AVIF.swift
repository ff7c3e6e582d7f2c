import EaselCore

extension EncodeOptions.Setting<Int> {
  /// The speed at which an AVIF is written, from 0 to 10.
  ///
  /// A lower speed makes a smaller file. The default is 8; for still pictures 10 has the same result as 9.
  public static var avifSpeed: EncodeOptions.Setting<Int> { EncodeOptions.Setting("avif-speed") }

  /// The bits of a component in a written AVIF: 8, 10 or 12.
  ///
  /// The default is 8 for pictures of 8 bits. For others it is 10, or 12 without loss.
  public static var avifDepth: EncodeOptions.Setting<Int> { EncodeOptions.Setting("avif-depth") }
}

extension EncodeOptions.Setting<Double> {
  /// The quality of alpha in a lossy AVIF, from 0 to 1; by default it is that of the colours.
  public static var avifAlphaQuality: EncodeOptions.Setting<Double> { EncodeOptions.Setting("avif-alpha-quality") }
}
