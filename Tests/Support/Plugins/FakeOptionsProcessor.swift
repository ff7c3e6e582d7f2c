import EaselCore
import FoundationEssentials

/// An options processor that adds options and settings, counted.
public final class FakeOptionsProcessor: OptionsProcessor {
  private let options: ImageOptions
  private let context: ImageContext
  private let seen = Watched<[URL]>([])

  /// Creates a processor that adds these to each load's own.
  public init(adding options: ImageOptions = [], context: ImageContext = []) {
    self.options = options
    self.context = context
  }

  /// The URLs that it was called for, in order.
  public var urls: [URL] { seen.withLock { $0 } }

  /// Adds what it was told.
  public func process(_ url: URL, options: inout ImageOptions, context: inout ImageContext) {
    seen.withLock { $0.append(url) }
    options.formUnion(self.options)
    context.merge(self.context)
  }
}
