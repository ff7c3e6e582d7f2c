import EaselCore
import FoundationEssentials

/// An options processor that adds options and settings and records its calls.
public final class FakeOptionsProcessor: OptionsProcessor {
  private let options: ImageOptions
  private let context: ImageContext
  private let seen = Watched<[URL]>([])

  /// Creates a processor that adds these options and settings to each load.
  public init(adding options: ImageOptions = [], context: ImageContext = []) {
    self.options = options
    self.context = context
  }

  /// The URLs of the calls, in order.
  public var urls: [URL] { seen.withLock { $0 } }

  /// Adds the options and settings.
  public func process(_ url: URL, options: inout ImageOptions, context: inout ImageContext) {
    seen.withLock { $0.append(url) }
    options.formUnion(self.options)
    context.merge(self.context)
  }
}
