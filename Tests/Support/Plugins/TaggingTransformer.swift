import EaselCore
import FoundationEssentials

/// A transformer that leaves a tag in the pixels and in the metadata, so that tests see which transformers ran and in
/// which order.
///
/// The first byte of the bitmap becomes `byte &* 31 &+ tag`, in a premultiplied picture at most the alpha beside it, and
/// the tag is appended to the XMP block.
public final class TaggingTransformer: Transformer {
  private struct State {
    var count = 0
    var failure: (any Error)?
  }

  /// The tag.
  public let tag: UInt8
  /// The gate of each call; open unless a test closes it.
  public let gate = Gate(isOpen: true)
  private let state: Watched<State>

  /// Creates a transformer; with `failure` it fails.
  public init(_ tag: UInt8, failure: (any Error)? = nil) {
    self.tag = tag
    state = Watched(State(failure: failure))
  }

  /// The number of calls.
  public var count: Int { state.withLock { $0.count } }

  /// Makes it fail from now on; nil makes it work again.
  public func fail(with error: (any Error)?) { state.withLock { $0.failure = error } }

  /// Suspends until there were this many calls.
  public func waitForCalls(count: Int = 1) async { await state.wait { $0.count >= count } }

  /// Contains the tag.
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
    let format = image.bitmap.format
    image.bitmap.withUnsafeMutableBytes { bytes in
      let value = bytes[0] &* 31 &+ tag
      // A component of a premultiplied pixel is at most its alpha.
      let alpha = bytes[format.bytesPerPixel - format.layout.bitsPerComponent / 8]
      bytes[0] = format.alpha == .premultiplied ? min(value, alpha) : value
    }
    image.metadata.xmp = Data(Self.tags(of: image) + [tag])
    return image
  }

  /// The tags of an image, the first one first.
  public static func tags(of image: Image) -> [UInt8] { image.metadata.xmp.map(Array.init) ?? [] }
}
