import Easel

// Documentation: a context key of a plug-in.
enum FlagStripesKey: ImageContext.Key {
  static let name = "org.example.flag.stripes"
  static var impact: ImageContext.Impact<Int> { .pixels { "\($0)" } }
}

extension ContextKeys {
  static let flagStripes = ContextKey(FlagStripesKey.self)
}
