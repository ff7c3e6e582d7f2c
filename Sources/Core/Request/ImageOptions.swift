/// The options of a load, in one set for all stages.
///
/// ```swift
/// let image = try await manager.image(for: url, options: [.retryFailed, .highPriority])
/// ```
public struct ImageOptions: OptionSet, Hashable, Sendable {
  /// The bits of the set.
  public let rawValue: UInt32

  /// Makes a set from raw bits, which option sets need for their own operations.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Tries a URL again even if it failed before.
  ///
  /// After a success the URL is no longer remembered as failed.
  public static let retryFailed = ImageOptions(rawValue: 1 << 0)
  /// Lowers the priority of the load.
  public static let lowPriority = ImageOptions(rawValue: 1 << 1)
  /// Raises the priority of the load; it overrides ``lowPriority``.
  public static let highPriority = ImageOptions(rawValue: 1 << 2)
  /// Sends previews while the body arrives.
  ///
  /// It has no effect with a decryptor, with a coder that cannot make previews, or with ``refreshCached``.
  public static let progressive = ImageOptions(rawValue: 1 << 3)
  /// Sends a cached picture immediately, then asks the server whether it is still current.
  public static let refreshCached = ImageOptions(rawValue: 1 << 4)
  /// Uses the loader's cookie jar.
  ///
  /// The manager cannot know in advance which cookies the jar sends. Under ``CachePolicy/http`` it therefore does not
  /// cache a response that varies with `Cookie`. Under ``CachePolicy/forever`` it does: clear the cache when the user
  /// changes.
  public static let handleCookies = ImageOptions(rawValue: 1 << 5)
  /// Accepts any certificate for this transfer.
  public static let allowInvalidCertificates = ImageOptions(rawValue: 1 << 6)
  /// Also transforms every frame of moving pictures; without this option, transformers skip them.
  public static let transformAnimated = ImageOptions(rawValue: 1 << 7)
  /// Decodes a large picture so that its bitmap fits the scale-down limit.
  public static let scaleDownLarge = ImageOptions(rawValue: 1 << 8)
  /// Never calls the loader; if no cache has the picture, the load fails with `notInCache`.
  public static let fromCacheOnly = ImageOptions(rawValue: 1 << 9)
  /// Skips all cache lookups, but still stores the picture.
  public static let fromLoaderOnly = ImageOptions(rawValue: 1 << 10)
  /// Delivers a still picture, even if the cache in memory has a moving one.
  ///
  /// Transformers, which skip moving pictures, are then applied to the first frame at each delivery. The cached picture
  /// still moves.
  public static let firstFrameOnly = ImageOptions(rawValue: 1 << 11)
  /// Decodes as many frames before the delivery as the budget allows.
  public static let preloadAllFrames = ImageOptions(rawValue: 1 << 12)
  /// Ignores a cached still picture, and fails if the loaded picture is still.
  public static let requireAnimated = ImageOptions(rawValue: 1 << 13)
  /// Also delivers the encoded bytes, even if the picture was in memory.
  public static let includeData = ImageOptions(rawValue: 1 << 14)
  /// Delivers only after all stores are finished.
  public static let waitStore = ImageOptions(rawValue: 1 << 15)
  /// Lets a running load continue, until the deadline, when its manager is closed.
  public static let continueInBackground = ImageOptions(rawValue: 1 << 16)
  /// Shows the placeholder of a target only when the load fails.
  public static let delayPlaceholder = ImageOptions(rawValue: 1 << 17)
  /// Lets the caller set the picture on the target.
  public static let avoidAutoSet = ImageOptions(rawValue: 1 << 18)
  /// Does not cancel the target's previous load under the same target key.
  public static let avoidAutoCancel = ImageOptions(rawValue: 1 << 19)
  /// Also runs the target's transition if the picture was in memory.
  public static let forceTransition = ImageOptions(rawValue: 1 << 20)
  /// Reports the end of the target's load only after the transition.
  public static let waitTransition = ImageOptions(rawValue: 1 << 21)
  /// Reads the scale factor from the name of the picture: 2 for `photo@2x.png` and `photo%402x.png`.
  ///
  /// A `scaleFactor` in the context overrides the name.
  public static let scaleFromName = ImageOptions(rawValue: 1 << 22)
}

extension ImageOptions {
  /// The priority that the options set; nil when they set none.
  package var priority: LoadPriority? {
    if contains(.highPriority) { return .high }
    return contains(.lowPriority) ? .low : nil
  }
}
