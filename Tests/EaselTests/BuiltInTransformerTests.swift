import Easel
import EaselTestSupport
import Testing

/// The built-in transformers, alone and in pipelines.
struct BuiltInTransformerTests {
  @Test func geometryKeepsTheContract() async {
    let contract = TransformerContract {
      let pipelines: [TransformerPipeline] = [
        .resize(width: 40), .resize(width: 8, height: 30, mode: .pad),
        .resize(width: 20, height: 20, mode: .fill),
        .resize(within: PixelSize(width: 30, height: 30)),
        .resize(within: PixelSize(width: 30, height: 30), enlarges: true),
        .resize(within: PixelSize(width: 0, height: 9)),
        .resize(width: 12, filter: .nearest), .crop(x: 2, y: 1, width: 9, height: 5),
        .crop(x: 0, y: 0, width: 60, height: 40),
        .flip(horizontal: true, vertical: false), .rotate(degrees: 90), .rotate(degrees: 30, fit: false), .pad(3),
      ]
      return pipelines.flatMap(\.members)
    }
    #expect(await contract.check() == [])
  }

  @Test func placesKeepTheContract() async {
    let contract = TransformerContract {
      let pipelines: [TransformerPipeline] = [
        .resize(width: 20, height: 20, mode: .fill, gravity: .southEast.inset(x: 1, y: 0)),
        .resize(width: 8, height: 30, mode: .pad, gravity: .focalPoint(x: 0.2, y: 0.9)),
        .crop(width: 9, height: 5, gravity: .north), .crop(width: 7, height: 5, gravity: .smart),
        .resize(width: 9, height: 20, mode: .fill, gravity: .smart.inset(x: 1, y: 0)),
        .crop(width: .share(0.6), height: .pixels(0), gravity: .west.inset(x: .share(0.1), y: .pixels(0))),
        .crop(shareX: 0.1, shareY: 0.2, shareWidth: 0.5, shareHeight: 0.8), .crop(ratioWidth: 1, ratioHeight: 1),
        .extend(ratioWidth: 1, ratioHeight: 1, gravity: .south), .trim(), .trim(tolerance: 0, equalsVertically: true),
        .trim(color: .clear), .pixelate(4), .duotone(shadows: .black, highlights: .white, amount: 0.7),
      ]
      return pipelines.flatMap(\.members)
    }
    #expect(await contract.check() == [])
  }

  @Test func rulesAndSurroundingsKeepTheContract() async throws {
    let ruled = try [
      "Resize({20,60},2,no,shrink,ratio)", "Resize({20,30},2,auto)", "Resize({9,0},0,zoom{2,1},least{0,7},shrink)",
      "Resize({0,0},0,zoom{0.5,2})",
    ].map { try TransformerPipeline(parsing: $0) }
    let mark = try Bitmap(size: PixelSize(width: 3, height: 2), format: .opaqueRGBA8)
    let red = PixelColor(red: 200, green: 10, blue: 10)
    let contract = TransformerContract {
      let pipelines: [TransformerPipeline] = [
        .extend(width: 20, height: 0, color: red, gravity: .south), .background(red),
        .background(PixelColor(red: 9, green: 8, blue: 7, alpha: 60)), .pad(.init(top: 1, left: 2), color: red),
        .watermark(mark, name: "m", opacity: 0.5, scale: 0.4),
        .watermark(repeating: mark, name: "m", gapX: .pixels(2), gapY: .share(0.1), gravity: .center),
        .layers([.init(.blur(2), opacity: 0.5, mode: .multiply), .init(mark, name: "m", .resize(width: 5))]),
      ]
      return (ruled + pipelines).flatMap(\.members)
    }
    #expect(await contract.check() == [])
  }

  @Test func effectsKeepTheContract() async {
    let contract = TransformerContract {
      let red = PixelColor(red: 200, green: 10, blue: 10)
      let pipelines: [TransformerPipeline] = [
        .roundCorners(3), .roundCorners(2, borderWidth: 1, borderColor: red), .blur(2), .sharpen(0.5), .tint(red),
        .convolution([[0, 1, 0], [1, 4, 1], [0, 1, 0]], normalizes: true),
        .tint(.clear), .grayscale(1), .sepia(0.5), .brightness(0.2), .contrast(1.3), .saturation(0.4), .invert(),
      ]
      return pipelines.flatMap(\.members)
    }
    #expect(await contract.check() == [])
  }

  @Test func pipelinesKeepTheContract() async {
    let contract = TransformerContract {
      let pipelines: [TransformerPipeline] = [
        .resize(width: 40).then(.roundCorners(6)), .crop(x: 1, y: 1, width: 10, height: 5).then(.resize(width: 30)),
        .grayscale(1).then(.contrast(1.2)).then(.invert()), .identity.then(.blur(1)),
        .resize(width: 24).then(.flip(horizontal: true, vertical: false)).then(.tint(.white)),
      ]
      return pipelines
    }
    #expect(await contract.check() == [])
  }
}
