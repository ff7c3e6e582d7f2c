import EaselEverything
import Testing

/// The layers and the text that the guide shows.
struct TextSnippetTests {
  // Documentation: getting started.
  @Test func aCardHasLayersAndATitle() throws {
    let logo = try Bitmap(size: PixelSize(width: 40, height: 20), format: .rgba8)
    let card = TransformerPipeline.layers([
      .init(.grayscale.then(.blur(8)), opacity: 0.7, mode: .multiply),
      .init(logo, name: "portrait-3", .resize(width: 200).then(.roundCorners(100)), gravity: .west.inset(x: 24, y: 0)),
    ])
    var style = TextStyle(family: "DejaVu Sans, sans-serif", size: 40, weight: 700)
    style.outline = TextStyle.Outline(width: 2)
    style.shadow = TextStyle.Shadow(y: 3, blur: 4)
    let titled = card.then(
      .text("Füchse im Schnee", style: style, width: .share(0.8), gravity: .south.inset(x: 0, y: 16)))
    #expect(
      titled.cacheKey.hasPrefix(
        "Layers({-,ce,0.7,1,Grayscale(1)-Blur(8)},{portrait%2d3,we{24,0},1,0,Resize({200,0},0,4,1)-RoundCorners(100,15,0,-)}"
          + ")-Text(F%c3%bcchse%20im%20Schnee,so{0,16},1,0.8s,"))
    let image = Image(try Bitmap(size: PixelSize(width: 600, height: 300), format: .opaqueRGBA8))
    #expect(try titled.transform(image, work: WorkContext()).size == image.size)
  }
}
