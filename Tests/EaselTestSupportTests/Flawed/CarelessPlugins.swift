import EaselCore
import EaselTestSupport
import FoundationEssentials

/// A transformer that takes the next one for done.
struct SwallowingTransformer: PlannableTransformer {
  var cacheKey: String { "Swallowing(1)" }

  func transform(_ image: Image, work: WorkContext) throws -> Image { image }
  func merged(with next: any Transformer) -> (any Transformer)? { self }
}

/// A loader that takes every URL but one.
struct TakingLoader: ImageLoader {
  let base: FakeLoader
  let refused: URL?

  var cacheIdentity: CacheIdentity { base.cacheIdentity }
  func canLoad(_ url: URL) -> Bool { url.scheme == "fake" && url != refused }
  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    try await base.load(request, into: sink)
  }
}

/// A progressive coder that makes a decoder for any bytes.
struct EagerCoder: ProgressiveImageCoder {
  private let base = ToyCoder()

  var identifier: String { "eager" }
  var formats: [ImageFormat] { base.formats }
  func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }
  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { try base.probe(bytes, work: work) }
  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try base.decode(bytes, options: options, work: work)
  }
  func makeDecoder(prefix: [UInt8], options: DecodeOptions, work: WorkContext) throws -> (any ProgressiveDecoder)? {
    try base.makeDecoder(prefix: ToyImage(width: 1, height: 1).bytes, options: options, work: work)
  }
}

/// A coder that only writes, and whatever a test gives it.
struct WritingCoder: EncodingCoder {
  let written: ImageFormat
  let file: @Sendable (Image) throws -> [UInt8]

  var identifier: String { "writing" }
  var formats: [ImageFormat] { [] }
  func canDecode(prefix: [UInt8]) -> Bool { false }
  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { throw unsupported }
  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image { throw unsupported }
  func canEncode(_ format: ImageFormat) -> Bool { format == written }
  func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    guard format == written else { throw ImageError(.encodeFailed, "It does not write \(format).") }
    return ImageBytes(try file(image))
  }

  private var unsupported: ImageError { ImageError(.unsupportedFormat, "It decodes nothing.") }
}
