import Easel
import EaselObserving

/// The option that names the shared engines.
enum SharedOptions {
  static let shared = Option<String>(
    OptionDescription(
      name: "shared", placeholder: "URL", expectation: "an address such as s3://bucket/prefix",
      help:
        "Use a store that several machines use, after memory and disk. May be one that is fast, and S3 for originals and "
        + "for what is large.", mayRepeat: true)
  ) { $0.isEmpty ? nil : $0 }

  /// The addresses of the option.
  static func addresses(_ arguments: Arguments) throws(UsageError) -> [SharedAddress] {
    var addresses: [SharedAddress] = []
    for text in try arguments.values(shared) {
      do throws(ImageError) { addresses.append(try SharedAddress(text)) } catch { throw UsageError(error) }
    }
    return addresses
  }

  /// The store at these addresses, for a short command; nil without an address.
  static func layer(_ addresses: [SharedAddress]) throws(UsageError) -> SharedLayer? {
    do throws(ImageError) { return try SharedLayer(addresses, .once) } catch { throw UsageError(error) }
  }
}

extension UsageError {
  /// A mistake in an address.
  fileprivate init(_ error: ImageError) {
    self.init("--shared: \(error.message)" + (error.subject.map { " (\($0))" } ?? ""))
  }
}

extension ServeSettings {
  /// The store that other machines share; nil if the settings name none.
  func sharedLayer(
    observer: (@Sendable (TieredCache.SharedStoreEvent) -> Void)? = nil, traces: OTLPTraces? = nil,
    log: (@Sendable (String) -> Void)? = nil
  ) throws(ImageError) -> SharedLayer? {
    try SharedLayer(shared, .serving(sharedTime), observer: observer, traces: traces, log: log)
  }
}
