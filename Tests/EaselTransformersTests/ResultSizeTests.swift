import EaselTestPixels
import EaselTransformers
import Testing

@testable import EaselCore

/// The sizes that transformers tell in advance are those that they make.
struct ResultSizeTests {
  private static let pipelines: [TransformerPipeline] = [
    .resize(width: 7), .resize(height: 31), .resize(within: PixelSize(width: 20, height: 9)),
    .resize(width: 20, height: 9, mode: .force), .resize(width: 5, height: 9, mode: .fill),
    .crop(x: 1, y: 2, width: 3, height: 4), .crop(width: 5, height: 50, gravity: .southEast),
    .crop(ratioWidth: 4, ratioHeight: 3), .extend(width: 40, height: 3), .pad(3),
    .pad(top: 1, left: 2, bottom: 3, right: 4),
    .rotate(degrees: 90), .rotate(degrees: 180), .rotate(degrees: -90, fit: false),
  ]

  @Test(arguments: pipelines.indices, [PixelSize(width: 16, height: 12), PixelSize(width: 3, height: 40)])
  func theSizeIsKnownBefore(index: Int, size: PixelSize) throws {
    let bitmap = try Bitmap(size: size, format: .rgba8)
    for step in Self.pipelines[index].merged.members {
      let sizing = try #require(step as? any SizingTransformer)
      let made = try step.transform(Image(bitmap), work: WorkContext())
      #expect(sizing.resultSize(of: size) == made.size)
    }
  }
}
