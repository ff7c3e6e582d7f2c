import Easel

// Documentation: a context key of a plug-in.
enum FlagStripesKey: ImageContextKey {
  static let name = "org.example.flag.stripes"
  static var impact: CacheImpact<Int> { .pixels { "\($0)" } }
}

extension ContextKeys {
  static let flagStripes = ContextKey(FlagStripesKey.self)
}
