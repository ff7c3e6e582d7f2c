import EaselCore
import FoundationEssentials

/// A transformer that leaves a tag in the pixels and in the metadata, so that tests see which ran, and in which order.
///
/// The first byte of the bitmap becomes `byte &* 31 &+ tag`, and the tag is added to the XMP block.
public final class TaggingTransformer: Transformer {
  private struct State {
    var count = 0
    var failure: (any Error)?
  }

  /// What it leaves.
  public let tag: UInt8
  /// Where each call waits, open unless a test closes it.
  public let gate = Gate(isOpen: true)
  private let state: Watched<State>

  /// Creates a transformer, which may be one that fails.
  public init(_ tag: UInt8, failure: (any Error)? = nil) {
    self.tag = tag
    state = Watched(State(failure: failure))
  }

  /// How often it was called.
  public var count: Int { state.withLock { $0.count } }

  /// Makes it fail from now on, or work again with nil.
  public func fail(with error: (any Error)?) { state.withLock { $0.failure = error } }

  /// Suspends until it was called this often.
  public func waitForCalls(count: Int = 1) async { await state.wait { $0.count >= count } }

  /// Names the tag.
  public var cacheKey: String { "Tag(\(tag))" }

  /// Leaves the tag.
  public func transform(_ image: Image, work: WorkContext) throws -> Image {
    let failure = state.withLock { state in
      state.count += 1
      return state.failure
    }
    try gate.pass(work)
    if let failure { throw failure }
    var image = image
    image.bitmap.withUnsafeMutableBytes { $0[0] = $0[0] &* 31 &+ tag }
    image.metadata.xmp = Data(Self.tags(of: image) + [tag])
    return image
  }

  /// The tags that an image carries, the first one first.
  public static func tags(of image: Image) -> [UInt8] { image.metadata.xmp.map(Array.init) ?? [] }
}
