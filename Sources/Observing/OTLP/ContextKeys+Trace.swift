import EaselCore

extension TraceContext {
  fileprivate enum Key: ImageContext.Key {
    static let name = "trace"
    static let impact = ImageContext.Impact<TraceContext>.neutral
  }
}

extension ContextKeys {
  /// The place in a trace at which the work of a load goes on, for work that runs outside of tasks.
  package static let trace = ContextKey(TraceContext.Key.self)
}
