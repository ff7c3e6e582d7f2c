import EaselCore

extension EncodeOptions.Setting<Int> {
  /// The effort with which a JPEG XL is written, from 1 to 9.
  ///
  /// More effort makes the file smaller. The default is 4; from 8 on, writing takes many times as long.
  public static var jxlEffort: EncodeOptions.Setting<Int> { EncodeOptions.Setting("jxl-effort") }
}
