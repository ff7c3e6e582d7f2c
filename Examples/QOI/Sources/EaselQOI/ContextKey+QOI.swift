import EaselCore

/// A setting of one plug-in: because it declares its impact, pictures decoded with it and without never share a key.
enum QOIIgnoresAlphaKey: ImageContextKey {
  static let name = "qoiIgnoresAlpha"
  static var impact: CacheImpact<Bool> { .pixels { $0 ? "1" : "0" } }
}

extension ContextKey where Value == Bool {
  /// Whether pictures of QOI are decoded as if they were opaque.
  public static var qoiIgnoresAlpha: ContextKey { ContextKey(QOIIgnoresAlphaKey.self) }
}
