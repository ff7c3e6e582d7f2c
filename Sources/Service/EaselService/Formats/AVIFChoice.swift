/// The rules for choosing AVIF where the `Accept` of the client decides.
///
/// An AVIF has fewer bytes than a WebP of the same look, and takes many times as long to make. A URL that names AVIF
/// gets it in any case.
public struct AVIFChoice: Hashable, Sendable {
  /// The most pixels of a picture that is made as AVIF at all.
  public var mostPixels = 4_000_000
  /// The most pixels of an AVIF for which a client waits.
  ///
  /// In place of a larger one, the next format that the client accepts goes out. The AVIF is made for those who come
  /// later.
  public var mostAwaitedPixels = 150_000
  /// The seconds for which clients keep the other format while the AVIF is made.
  public var secondsMeanwhile = 60

  /// Begins with the defaults, which can be changed one by one.
  public init() {}
}
