import Easel

// Documentation: a context key of a plug-in.
enum FlagStripesKey: ImageContextKey {
  static let name = "org.example.flag.stripes"
  static var impact: CacheImpact<Int> { .pixels { "\($0)" } }
}

extension ContextKey where Value == Int {
  static var flagStripes: ContextKey { ContextKey(FlagStripesKey.self) }
}
