/// The switches of a load, one set for every layer.
public struct ImageOptions: OptionSet, Hashable, Sendable {
  /// The bits of the set.
  public let rawValue: UInt32

  /// Creates a set from its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Tries a URL that failed before; a success takes it off the list of failures.
  public static let retryFailed = ImageOptions(rawValue: 1 << 0)
  /// Makes the load less urgent.
  public static let lowPriority = ImageOptions(rawValue: 1 << 1)
  /// Makes the load more urgent; it wins over ``lowPriority``.
  public static let highPriority = ImageOptions(rawValue: 1 << 2)
  /// Sends previews while the body arrives.
  ///
  /// It has no effect with a decryptor, without a coder that can, or while refreshing.
  public static let progressive = ImageOptions(rawValue: 1 << 3)
  /// Sends a cached picture at once and asks the server whether it is still the right one.
  public static let refreshCached = ImageOptions(rawValue: 1 << 4)
  /// Lets the loader's cookie jar take part.
  ///
  /// Nobody knows beforehand which cookies the jar sends, so under ``CachePolicy/http`` what varies with `Cookie` is
  /// not cached. Under ``CachePolicy/forever`` it is: clear the cache when the user changes.
  public static let handleCookies = ImageOptions(rawValue: 1 << 5)
  /// Accepts any certificate for this transfer.
  public static let allowInvalidCertificates = ImageOptions(rawValue: 1 << 6)
  /// Runs transformers on every frame of a moving picture too, which passes untouched otherwise.
  public static let transformAnimated = ImageOptions(rawValue: 1 << 7)
  /// Decodes a large picture so that its bitmap fits the scale-down limit.
  public static let scaleDownLarge = ImageOptions(rawValue: 1 << 8)
  /// Never calls the loader; a miss is the error `notInCache`.
  public static let fromCacheOnly = ImageOptions(rawValue: 1 << 9)
  /// Skips every cache query, and still stores.
  public static let fromLoaderOnly = ImageOptions(rawValue: 1 << 10)
  /// Delivers a still picture, also from a moving one in memory.
  ///
  /// Transformers, which leave moving pictures alone, run on that frame, at each delivery: what is stored still moves.
  public static let firstFrameOnly = ImageOptions(rawValue: 1 << 11)
  /// Decodes as many frames as the budget holds before delivering.
  public static let preloadAllFrames = ImageOptions(rawValue: 1 << 12)
  /// Takes a cached still for a miss, and a body that cannot move for an error.
  public static let requireAnimated = ImageOptions(rawValue: 1 << 13)
  /// Delivers the encoded bytes too, also on a memory hit.
  public static let includeData = ImageOptions(rawValue: 1 << 14)
  /// Delivers only after the stores are finished.
  public static let waitStore = ImageOptions(rawValue: 1 << 15)
  /// Lets a load that runs while its manager is closed finish, up to the deadline.
  public static let continueInBackground = ImageOptions(rawValue: 1 << 16)
  /// Shows a target's placeholder only when the load fails.
  public static let delayPlaceholder = ImageOptions(rawValue: 1 << 17)
  /// Leaves it to the caller to put the picture on the target.
  public static let avoidAutoSet = ImageOptions(rawValue: 1 << 18)
  /// Keeps what the target was loading under the same target key alive.
  public static let avoidAutoCancel = ImageOptions(rawValue: 1 << 19)
  /// Runs the target's transition also for a picture that was in memory.
  public static let forceTransition = ImageOptions(rawValue: 1 << 20)
  /// Reports the target's load as finished only after the transition.
  public static let waitTransition = ImageOptions(rawValue: 1 << 21)
  /// Takes the scale factor from the name of the picture: 2 for `photo@2x.png`.
  ///
  /// A `scaleFactor` in the context wins over the name.
  public static let scaleFromName = ImageOptions(rawValue: 1 << 22)
}

extension ImageOptions {
  /// The priority that the options ask for, nil where they leave it open.
  var priority: LoadPriority? {
    if contains(.highPriority) { return .high }
    return contains(.lowPriority) ? .low : nil
  }
}
