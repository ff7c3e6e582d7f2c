import EaselCore

/// A plug-in's own setting.
///
/// It declares its impact, so pictures decoded with and without it never share a key.
enum QOIIgnoresAlphaKey: ImageContext.Key {
  static let name = "qoiIgnoresAlpha"
  static var impact: ImageContext.Impact<Bool> { .pixels { $0 ? "1" : "0" } }
}

extension ContextKeys {
  /// True decodes QOI pictures as if they were opaque.
  public static let qoiIgnoresAlpha = ContextKey(QOIIgnoresAlphaKey.self)
}
