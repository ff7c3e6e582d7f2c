import EaselCore

extension EncodeOptions.Setting<Int> {
  /// The effort with which a lossy WebP is written, from 0 to 6.
  ///
  /// More effort makes the file smaller at the same quality. The default is 4.
  public static var webpMethod: EncodeOptions.Setting<Int> { EncodeOptions.Setting("webp-method") }
}
