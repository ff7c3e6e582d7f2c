import Easel
import Testing

/// The calls that the gallery of the site shows below its pictures; `script/docs` looks for them here.
struct GallerySnippets {
  private static let calls: [TransformerPipeline] = [
    .resize(width: 240, height: 240, mode: .fit),
    .resize(width: 240, height: 240, mode: .fill),
    .resize(width: 240, height: 240, mode: .force),
    .resize(width: 240, height: 240, mode: .pad),
    .resize(width: 240, height: 240, mode: .fill, gravity: .northWest),
    .resize(width: 240, height: 240, mode: .fill, gravity: .focalPoint(x: 0.8, y: 0.7)),
    .resize(width: 240, height: 240, mode: .fill, gravity: .smart),
    .crop(ratioWidth: 21, ratioHeight: 9, gravity: .south),
    .crop(x: 300, y: 120, width: 160, height: 160),
    .roundCorners(40),
    .flip(horizontal: true),
    .rotate(degrees: 12),
    .pad(14, color: PixelColor(red: 244, green: 241, blue: 234)),
    .extend(ratioWidth: 1, ratioHeight: 1, color: PixelColor(red: 38, green: 52, blue: 106)),
    .grayscale(1),
    .sepia(1),
    .duotone(shadows: .black, highlights: PixelColor(red: 255, green: 209, blue: 102)),
    .brightness(1.4),
    .contrast(1.5),
    .saturation(1.8),
    .invert(1),
    .tint(PixelColor(red: 255, green: 176, blue: 112), mode: .multiply),
    .blur(6),
    .sharpen(1.5),
    .pixelate(16),
    .convolution([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]]),
    .layers([.init(.blur(8), opacity: 0.8, mode: .multiply)]),
  ]

  @Test(arguments: calls) func theCallMakesAPicture(_ call: TransformerPipeline) throws {
    let image = Image(try Bitmap(size: PixelSize(width: 480, height: 320), format: .opaqueRGBA8))
    let result = try call.transform(image, work: WorkContext())
    #expect(!result.size.isEmpty)
  }

  @Test func eachCallHasAKeyOfItsOwn() {
    #expect(Set(Self.calls.map(\.cacheKey)).count == Self.calls.count)
  }
}
