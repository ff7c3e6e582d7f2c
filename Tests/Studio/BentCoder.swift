import EaselCore
import EaselTestSupport

/// A coder of toy pictures that makes false statements or wrong pictures.
package struct BentCoder: ProgressiveImageCoder {
  package var header: @Sendable (inout ImageHeader) -> Void
  package var image: @Sendable (inout Image) throws -> Void
  package var preview: @Sendable (inout Image) throws -> Void
  package let toy = ToyCoder()

  package init(
    header: @escaping @Sendable (inout ImageHeader) -> Void = { _ in },
    image: @escaping @Sendable (inout Image) throws -> Void = { _ in },
    preview: @escaping @Sendable (inout Image) throws -> Void = { _ in }
  ) {
    (self.header, self.image, self.preview) = (header, image, preview)
  }

  package var identifier: String { "bent" }
  package var formats: [ImageFormat] { toy.formats }

  package func canDecode(prefix: [UInt8]) -> Bool { toy.canDecode(prefix: prefix) }

  package func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    var header = try toy.probe(bytes, work: work)
    self.header(&header)
    return header
  }

  package func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    var image = try toy.decode(bytes, options: options, work: work)
    try self.image(&image)
    return image
  }

  package func makeDecoder(
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
package struct ClaimedFrames: FrameSource {
  package var count: Int
  package var loopCount: Int
  package var canvasSize: PixelSize
  /// The size of the frames after the first, if different.
  package var laterSize: PixelSize?
  package var memoryCost: Int

  package init(
    count: Int = 2, loopCount: Int = 0, canvasSize: PixelSize = PixelSize(width: 4, height: 4),
    laterSize: PixelSize? = nil, memoryCost: Int = 0
  ) {
    (self.count, self.loopCount, self.memoryCost) = (count, loopCount, memoryCost)
    (self.canvasSize, self.laterSize) = (canvasSize, laterSize)
  }

  package func duration(at index: Int) -> Duration { .milliseconds(20) }

  package func frame(at index: Int) throws -> Bitmap {
    try Bitmap(size: index > 0 ? laterSize ?? canvasSize : canvasSize, format: .opaqueRGBA8)
  }
}

/// A transformer that plans the given size and stretches every picture to the given width.
package struct BentPlanner: PlannableTransformer {
  package let least: PixelSize
  package let cacheKey = "Bent()"

  package init(least: PixelSize) { self.least = least }

  package func plan(for size: PixelSize) -> TransformerPipeline.Plan? {
    TransformerPipeline.Plan(leastSize: least, transformer: self)
  }

  package func transform(_ image: Image, work: WorkContext) throws -> Image { image }
}
