import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// A plan made from the first part of a header is made again when the whole header differs.
struct LateHeaderTests {
  let url = URL(string: "http://host/late.toy")!
  private let picture = ToyImage(width: 12, height: 16, seed: 5)

  private func load(cutAt cut: Int?, _ context: ImageContext) async throws -> Image {
    let coder = LateTurnCoder()
    let studio = Studio { $0.coder = CoderRegistry([coder]) }
    let bytes = picture.bytes + [UInt8(ImageMetadata.Orientation.right.rawValue)]
    var steps = [FakeLoader.Script.Step.head(ResponseHead(status: 200, expectedLength: bytes.count))]
    if let cut {
      steps += [.chunk(Array(bytes[..<cut])), .chunk(Array(bytes[cut...]))]
    } else {
      steps += [.chunk(bytes)]
    }
    studio.loader.script(url, FakeLoader.Script(steps))
    if cut != nil { studio.loader.suspend(url, at: .step(2)) }
    let task = studio.manager.load(url, context: context)
    if cut != nil {
      // The second part comes only after the coder has looked at the first.
      await coder.looks.wait { $0 > 0 }
      studio.loader.resume(url, at: .step(2))
    }
    let image = try await task.image
    await studio.settle()
    let stored = studio.memory.entries.values.compactMap(\.image)
    #expect(stored.allSatisfy { $0.size == image.size })
    return image
  }

  @Test func whereverTheBodyIsCutThePictureIsTheSame() async throws {
    let cases: [(ImageContext, PixelSize)] = [
      ([.transformer(.custom(NarrowTo(width: 4)))], PixelSize(width: 4, height: 3)),
      ([.thumbnailSize(PixelSize(width: 8, height: 8))], PixelSize(width: 8, height: 6)),
      ([], PixelSize(width: 16, height: 12)),
    ]
    for (context, size) in cases {
      let whole = try await load(cutAt: nil, context)
      #expect(whole.size == size)
      let end = picture.bytes.count
      for cut in stride(from: CoderRegistry.shortSniffLength, through: end, by: 37) + [end] {
        let image = try await load(cutAt: cut, context)
        #expect(image.size == size && image.bitmap == whole.bitmap, "cut at \(cut)")
      }
    }
  }
}

/// Decodes toy pictures with one more byte at the end: the orientation.
private final class LateTurnCoder: ProgressiveImageCoder {
  let looks = Watched(0)
  private let toy = ToyCoder()

  var identifier: String { "late" }
  var formats: [ImageFormat] { toy.formats }

  func canDecode(prefix: [UInt8]) -> Bool { toy.canDecode(prefix: prefix) }

  static func turned(_ bytes: ImageBytes) throws -> ImageBytes {
    var copy = try bytes.withUnsafeBytes { [UInt8]($0) }
    // The header, the delay of the frame, its pixels and the orientation.
    let whole = 28 + 4 + 12 * 16 * 4 + 1
    if copy.count == whole { copy[10] = copy.removeLast() }
    return ImageBytes(copy)
  }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try toy.probe(Self.turned(bytes), work: work)
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try toy.decode(Self.turned(bytes), options: options, work: work)
  }

  func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    try toy.makeDecoder(prefix: prefix, options: options, work: work).map { LateTurnDecoder(base: $0, looks: looks) }
  }
}

private struct LateTurnDecoder: ProgressiveDecoder {
  let base: any ProgressiveDecoder
  let looks: Watched<Int>

  func update(_ bytes: ImageBytes) throws {
    defer { looks.withLock { $0 += 1 } }
    try base.update(LateTurnCoder.turned(bytes))
  }

  func preview() throws -> Image? { try base.preview() }

  func finish(_ bytes: ImageBytes) throws -> Image { try base.finish(LateTurnCoder.turned(bytes)) }
}

/// Scales pictures to one width and computes the height from the header.
struct NarrowTo: PlannableTransformer {
  let width: Int
  var size: PixelSize?
  var cacheKey: String { "Narrow(\(width))" }

  func plan(for size: PixelSize) -> TransformerPipeline.Plan? {
    let height = size.height * width / size.width
    return TransformerPipeline.Plan(
      leastSize: PixelSize(width: width, height: height),
      transformer: NarrowTo(width: width, size: PixelSize(width: width, height: height)))
  }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    let size = size ?? PixelSize(width: width, height: image.size.height * width / image.size.width)
    return try ToySampler(size: size).transform(image, work: work)
  }
}
