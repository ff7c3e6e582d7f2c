import Easel
import Testing

/// The ways to cut and place a picture that the guide shows.
struct GravitySnippetTests {
  // Documentation: getting started.
  @Test func picturesAreCutAndPlacedByGravity() throws {
    let pipelines: [TransformerPipeline] = [
      .resize(width: 320, height: 320, mode: .fill, gravity: .focalPoint(x: 0.3, y: 0.7)),
      .crop(width: .share(0.5), height: .pixels(200), gravity: .southEast.inset(x: 10, y: 10)),
      .crop(ratioWidth: 16, ratioHeight: 9, gravity: .north),
      .resize(width: 320, height: 320, mode: .fill, gravity: .smart),
      .extend(ratioWidth: 1, ratioHeight: 1, color: .white),
    ]
    let image = Image(try Bitmap(size: PixelSize(width: 640, height: 480), format: .rgba8))
    let sizes = try pipelines.map { try $0.transform(image, work: WorkContext()).size }
    #expect(sizes.map(\.width) == [320, 320, 640, 320, 640])
    #expect(sizes.map(\.height) == [320, 200, 360, 320, 640])
  }
}
