import EaselCore
import EaselTestSupport

/// A coder of toy pictures that makes false statements or wrong pictures.
struct BentCoder: ProgressiveImageCoder {
  var header: @Sendable (inout ImageHeader) -> Void = { _ in }
  var image: @Sendable (inout Image) throws -> Void = { _ in }
  var preview: @Sendable (inout Image) throws -> Void = { _ in }
  let toy = ToyCoder()

  var identifier: String { "bent" }
  var formats: [ImageFormat] { toy.formats }

  func canDecode(prefix: [UInt8]) -> Bool { toy.canDecode(prefix: prefix) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    var header = try toy.probe(bytes, work: work)
    self.header(&header)
    return header
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    var image = try toy.decode(bytes, options: options, work: work)
    try self.image(&image)
    return image
  }

  func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    try toy.makeDecoder(prefix: prefix, options: options, work: work).map { BentDecoder(coder: self, base: $0) }
  }
}

private struct BentDecoder: ProgressiveDecoder {
  let coder: BentCoder
  let base: any ProgressiveDecoder

  func update(_ bytes: ImageBytes) throws { try base.update(bytes) }

  func preview() throws -> Image? {
    guard var image = try base.preview() else { return nil }
    try coder.preview(&image)
    return image
  }

  func finish(_ bytes: ImageBytes) throws -> Image {
    var image = try base.finish(bytes)
    try coder.image(&image)
    return image
  }
}

/// Frames that make the claims a test gives them.
struct ClaimedFrames: FrameSource {
  var count = 2
  var loopCount = 0
  var canvasSize = PixelSize(width: 4, height: 4)
  /// The size of the frames after the first, if different.
  var laterSize: PixelSize?
  var memoryCost = 0

  func duration(at index: Int) -> Duration { .milliseconds(20) }

  func frame(at index: Int) throws -> Bitmap {
    try Bitmap(size: index > 0 ? laterSize ?? canvasSize : canvasSize, format: .opaqueRGBA8)
  }
}

/// A transformer that plans the given size and stretches every picture to the given width.
struct BentPlanner: PlannableTransformer {
  let least: PixelSize
  let cacheKey = "Bent()"

  func plan(for size: PixelSize) -> TransformerPlan? { TransformerPlan(leastSize: least, transformer: self) }

  func transform(_ image: Image, work: WorkContext) throws -> Image { image }
}
