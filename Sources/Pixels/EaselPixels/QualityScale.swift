import EaselCore

/// The meaning of a quality.
///
/// ```swift
/// var options = EncodeOptions(quality: 0.63)
/// options.settings[.qualityScale] = .library
/// ```
public enum QualityScale: String, CaseIterable, Hashable, Sendable {
  /// A quality looks equally good in all lossy formats, namely as good as a JPEG of this quality.
  case looks
  /// A quality is the number that the library of the format takes.
  ///
  /// AVIF and JPEG XL look better at the same number than JPEG, and are larger than they need to be.
  case library

  /// The version of the tables, which must grow when one of their numbers changes.
  fileprivate static let looksVersion = "1"
}

extension EncodeOptions.Setting<QualityScale> {
  /// The meaning of the quality for WebP, AVIF and JPEG XL; by default it is that of looks.
  ///
  /// Keys name it by the version of the table that translates looks. Keys without it are those of the time when there
  /// was no table, and mean what the library takes.
  public static var qualityScale: EncodeOptions.Setting<QualityScale> {
    EncodeOptions.Setting(
      "quality-scale", text: { $0 == .looks ? QualityScale.looksVersion : "" },
      value: { $0.isEmpty ? .library : $0 == QualityScale.looksVersion ? .looks : nil })
  }
}
