import EaselPNG
import EaselTestPixels
import EaselTestSupport
import EaselTransformers
import EaselWebP
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselService

/// A page of a picture, or a frame of a moving one.
struct PageTests {
  private static let levels: [UInt8] = [10, 120, 230]

  /// A picture whose three frames have one grey each.
  private func moving() throws -> [UInt8] {
    let bitmaps = try Self.levels.map { level in
      var bitmap = try Bitmap(size: PixelSize(width: 40, height: 20), format: .opaqueRGBA8)
      bitmap.withUnsafeMutableBytes { bytes in
        for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : level }
      }
      return bitmap
    }
    let frames = Frames(bitmaps: bitmaps, durations: Array(repeating: .milliseconds(100), count: 3))
    let options = EncodeOptions(lossless: true)
    return try Array(WebPCoder().encode(frames.image, as: .webp, options: options, work: WorkContext()).data())
  }

  private func studio() throws -> ServiceStudio {
    let studio = ServiceStudio()
    try studio.place(moving())
    return studio
  }

  private func order(_ studio: ServiceStudio, frame: Int, side: Int = 20) {
    studio.order(at: "/\(frame)") {
      $0.frame = frame
      $0.format = .png
      var recipe = PixelRecipe()
      recipe.width = side
      $0.pixels = .recipe(recipe, watermark: nil)
    }
  }

  private func level(of answer: ServiceResponse) throws -> UInt8 {
    let image = try PNGCoder().decode(ImageBytes(answer.bytes), options: DecodeOptions(), work: WorkContext())
    #expect(image.frames == nil && image.size == PixelSize(width: 20, height: 10))
    return image.bitmap.withUnsafeBytes { $0[0] }
  }

  @Test func eachFrameIsAPictureOfItsOwn() async throws {
    let studio = try studio()
    for (frame, expected) in Self.levels.enumerated().dropFirst() {
      order(studio, frame: frame)
      let answer = await studio.get("/\(frame)")
      #expect(answer.status == 200)
      #expect(try level(of: answer) == expected)
    }
    #expect(studio.loader.callCount <= 2)
    // The second time it comes from memory.
    #expect(studio.atOnce("/1")?.status == 200)
  }

  @Test func withTheFirstPageAMovingPictureMoves() async throws {
    let studio = try studio()
    studio.order(at: "/0") { $0.frame = 0 }
    #expect(try await studio.get("/0").header().frameCount == 3)
  }

  @Test(arguments: [3, 1_000_000]) func aPageThatIsNotThereIsAnError(frame: Int) async throws {
    let studio = try studio()
    order(studio, frame: frame)
    let answer = await studio.get("/\(frame)")
    #expect(answer.status == 422 && answer.text.contains("3 pages"))
    // It says nothing about the other pages.
    order(studio, frame: 2)
    #expect(await studio.get("/2").status == 200)
  }

  @Test func aStillPictureHasOnePage() async throws {
    let studio = ServiceStudio()
    try studio.place()
    order(studio, frame: 1)
    let answer = await studio.get("/1")
    #expect(answer.status == 422 && answer.text.contains("one page"))
  }

  @Test func aPageKeepsTheFormatOfItsOriginal() async throws {
    let studio = try studio()
    studio.order { $0.frame = 1 }
    let answer = await studio.get()
    #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/webp")
    #expect(try answer.header().frameCount == 1)
  }

  @Test(arguments: ["page:2", "pg:2"]) func theOptionNamesTheFrame(option: String) throws {
    let reader = ImgproxyReader(rules: URLRules(), signer: nil, formats: NamedFormats.names)
    #expect(try reader.order(at: "/unsafe/\(option)/plain/https://host/a.webp", now: 0).frame == 2)
  }
}
