import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// A drawing is made as large as the first transformer wants it.
struct LargerDrawingTests {
  private let url = URL(string: "http://host/a.toy")!
  private let larger = PixelSize(width: 32, height: 24)

  private func studio(_ coder: SketchCoder) -> Studio {
    let studio = Studio { $0.coder = CoderRegistry([coder]) }
    studio.place(.small)
    return studio
  }

  private func planner(_ size: PixelSize) -> ImageContext { [.transformer(.custom(BentPlanner(least: size)))] }

  @Test func itIsDrawnAtTheSizeOfThePlan() async throws {
    let studio = studio(SketchCoder())
    #expect(try await studio.result(url, [], planner(larger)).image.size == larger)
    #expect(try await studio.result(url).image.size == ToyImage.small.size)
  }

  @Test func smallerPlansStayTheLeastSize() async throws {
    let small = PixelSize(width: 4, height: 3)
    #expect(try await studio(SketchCoder()).result(url, [], planner(small)).image.size == small)
  }

  @Test func itsPixelsInMemoryDoNotReplaceALargerOne() async throws {
    let studio = studio(SketchCoder())
    #expect(try await studio.warm(url).image.size == ToyImage.small.size)
    let result = try await studio.result(url, [], planner(larger))
    #expect(result.image.size == larger && studio.loader.callCount == 1)
  }

  @Test func aDrawingOfAnotherSizeIsAnError() async throws {
    let error = await studio(SketchCoder(ignoresPlans: true)).failure(url, [], planner(larger))
    #expect(error?.code == .badImageData)
  }

  @Test(arguments: [(32, 3), (4, 24), (0, 24)]) func aPlanOfAnotherShapeIsIgnored(width: Int, height: Int) async throws
  {
    let context = planner(PixelSize(width: width, height: height))
    #expect(try await studio(SketchCoder()).result(url, [], context).image.size == ToyImage.small.size)
  }

  @Test func theLimitsBindIt() async throws {
    let studio = studio(SketchCoder())
    let context: ImageContext = [
      .transformer(.custom(BentPlanner(least: larger))), .limits(Limits(framePixels: 700)),
    ]
    #expect(await studio.failure(url, [], context)?.code == .limitExceeded)
  }
}

/// A coder that takes the pixels of toy pictures for drawings.
private struct SketchCoder: DrawingCoder {
  var ignoresPlans = false
  let toy = ToyCoder()

  var identifier: String { "drawing" }
  var formats: [ImageFormat] { toy.formats }

  func drawsLarger(_ format: ImageFormat) -> Bool { formats.contains(format) }
  func canDecode(prefix: [UInt8]) -> Bool { toy.canDecode(prefix: prefix) }
  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { try toy.probe(bytes, work: work) }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let header = try probe(bytes, work: work)
    let size = ignoresPlans ? header.storedSize : options.leastSize ?? options.targetSize(for: header)
    return Image(
      try Bitmap(size: size, format: .opaqueRGBA8), format: header.format,
      metadata: ImageMetadata(storedSize: header.storedSize))
  }
}
