/// How a loader wants pictures from one of its URLs to be named and kept.
public struct ImageOrigin: Hashable, Sendable {
  /// What of it may go to disk.
  public enum DiskUse: Hashable, Sendable {
    /// The original and its variants.
    case everything
    /// Variants only, since the original lies on a disk already.
    case variantsOnly
    /// Nothing.
    case nothing
  }

  /// Which picture: the original of the cache key when no filter names it.
  public var key: String
  /// Which bytes: empty for the plain ones, nil for "this instance only, never on disk".
  public var scope: String?
  /// What of it may go to disk.
  public var diskUse: DiskUse
  /// Whether the same URL has this origin for ever; a file that may be edited is asked for it each time.
  public var isLasting: Bool

  /// Creates an origin.
  public init(key: String, scope: String? = "", diskUse: DiskUse = .everything, isLasting: Bool = true) {
    self.key = key
    self.scope = scope
    self.diskUse = diskUse
    self.isLasting = isLasting
  }
}
