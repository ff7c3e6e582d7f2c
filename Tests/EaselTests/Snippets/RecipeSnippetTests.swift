import Easel
import Testing

/// The recipe that the guide shows.
struct RecipeSnippetTests {
  // Documentation: getting started.
  @Test func aRecipeMakesOnePipeline() throws {
    let logo = try Bitmap(size: PixelSize(width: 40, height: 20), format: .rgba8)
    var recipe = PixelRecipe()
    recipe.padding = try TransformerPipeline.Insets(css: [10, 20])
    recipe.background = .white
    recipe.bars = .toSize(gravity: .north)
    recipe.watermark = .watermark(
      logo, name: "logo-2", gravity: .southEast.inset(x: 10, y: 10), opacity: 0.6, scale: 0.2)
    (recipe.width, recipe.height, recipe.pixelRatio) = (320, 240, 2)
    recipe.crop = .crop(ratioWidth: 1, ratioHeight: 1, gravity: .focalPoint(x: 0.3, y: 0.7))
    let pipeline = try recipe.pipeline()
    #expect(
      pipeline.cacheKey == "CropRatio(1,fp{0.3,0.7})-Resize({640,480},4,4,1)-Background(#ffffffff)"
        + "-Extend({640,480},#ffffffff,no)-Pad({20,40,20,40},#ffffffff)-Watermark(logo%2d2,soea{20,20},0.6,0.2)")
    let image = Image(try Bitmap(size: PixelSize(width: 900, height: 700), format: .rgba8))
    let result = try pipeline.transform(image, work: WorkContext())
    #expect(result.size == PixelSize(width: 720, height: 520) && result.bitmap.format == .opaqueRGBA8)
  }
}
