import EaselManager
import EaselObserving
import Tracing

extension ImageManager.Configuration {
  /// Makes a span of each load, each of its stages and each wait, and gives the context on to the servers that have the
  /// originals.
  ///
  /// Without a tracer it is that with which the program was bootstrapped. Loads belong to the span of the task that began
  /// them.
  ///
  /// ```swift
  /// configuration.trace()
  /// ```
  public mutating func trace(with tracer: (any Tracer)? = nil) {
    let spans = ImageSpans(to: TracerSink(tracer))
    addObserver(spans)
    requestModifier = spans.modifier(after: requestModifier)
  }
}
