import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselPNG

struct PaletteTests {
  private typealias T = PNGTesting

  private func written(
    _ bitmap: Bitmap, _ palette: PNGPalette?, _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> ImageBytes {
    try T.encode(Image(bitmap)) {
      $0.settings[.pngPalette] = palette
      change(&$0)
    }
  }

  /// The depth, the number of colours and the number of alphas of a file with a palette; nil for any other file.
  private func palette(of bytes: ImageBytes) throws -> [Int]? {
    let file = try PNGScanner.file(in: bytes, work: WorkContext())
    guard file.header.colorType == .palette else { return nil }
    return [file.header.bitDepth, file.palette.count / 3, file.transparency.count]
  }

  private func colors(of bitmap: Bitmap) -> Set<[Int]> {
    var colors: Set<[Int]> = []
    for y in 0..<bitmap.height {
      for x in 0..<bitmap.width { colors.insert(bitmap.components(x, y)) }
    }
    return colors
  }

  @Test(arguments: [(2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)])
  func aPictureHasAtMostSoManyColours(count: Int, depth: Int) throws {
    let bitmap = try Bitmap.waves(120, 90)
    let bytes = try written(bitmap, PNGPalette(colors: count))
    #expect(try palette(of: bytes) == [depth, count, 0])
    #expect(try colors(of: T.decode(bytes).bitmap).count == count)
  }

  @Test func fewerColoursAreFewerBytesAndLessLike() throws {
    let bitmap = try Bitmap.waves(160, 120)
    var (size, noise) = (try written(bitmap, nil).count, Double.infinity)
    for count in [256, 64, 16, 4] {
      let bytes = try written(bitmap, PNGPalette(colors: count))
      let ratio = try T.decode(bytes).bitmap.signalToNoise(against: bitmap)
      #expect(bytes.count < size && ratio < noise, "\(count) colours")
      (size, noise) = (bytes.count, ratio)
    }
  }

  @Test func alphaHasItsPlaceInThePaletteAndComesFirst() throws {
    let bitmap = try Bitmap(64, 64, .rgba8) { x, y in [x * 4, y * 4, 90, x < 32 ? 255 : min(255, y * 4)] }
    let bytes = try written(bitmap, PNGPalette(colors: 40))
    let found = try #require(try palette(of: bytes))
    #expect(found[0] == 8 && found[1] <= 40 && found[2] > 5 && found[2] < found[1] - 5)
    let again = try T.decode(bytes).bitmap
    #expect(again.format.alpha == .straight)
    for y in 0..<64 { #expect(again.components(3, y)[3] == 255) }
  }

  @Test func fewColoursStayExact() throws {
    for most in [12, 256] {
      let bitmap = try Bitmap(50, 40, .rgba8) { x, y in [(x / 10) * 50, (y / 20) * 99, 7, x < 10 ? 128 : 255] }
      let bytes = try written(bitmap, PNGPalette(colors: most))
      #expect(try T.decode(bytes).bitmap == bitmap)
    }
  }

  @Test func greyAndWideAndPremultipliedPixelsGetAPaletteToo() throws {
    let wide = try Bitmap(60, 60, PixelFormat(.rgba16, alpha: .straight)) { x, y in
      [x * 1000, y * 1000, 300, 65_535]
    }
    let grey = try Bitmap(60, 60, .gray8) { x, y in [x * 2 + y * 2] }
    let laid = try Bitmap(60, 60, PixelFormat(.rgba8, alpha: .premultiplied)) { x, y in [x, y, x, 120] }
    for bitmap in [wide, grey, laid] {
      let bytes = try written(bitmap, PNGPalette(colors: 16))
      #expect(try palette(of: bytes)?.prefix(2) == [4, 16])
    }
  }

  @Test func theQualityDecidesHowManyColoursThereAre() throws {
    let bitmap = try Bitmap.waves(140, 100)
    let counts = try [30, 60, 80, 90].map {
      try #require(try palette(of: written(bitmap, PNGPalette(quality: 0...$0))))[1]
    }
    #expect(counts == counts.sorted() && counts[0] < counts[3] && counts[3] <= 256)
    // A quality that the colours cannot reach is met without a palette.
    let bytes = try written(bitmap, PNGPalette(colors: 4, quality: 90...100))
    #expect(try palette(of: bytes) == nil)
    #expect(try T.decode(bytes).bitmap == bitmap)
  }

  @Test func ditheringHidesBands() throws {
    let bitmap = try Bitmap(200, 60, .opaqueRGBA8) { x, _ in [x, x, x, 255] }
    let plain = try T.decode(written(bitmap, PNGPalette(colors: 6, dithering: 0))).bitmap
    let dithered = try T.decode(written(bitmap, PNGPalette(colors: 6, dithering: 1))).bitmap
    // Seen from a distance.
    let size = PixelSize(width: 50, height: 15)
    let far = try bitmap.resized(to: size)
    #expect(
      try dithered.resized(to: size).signalToNoise(against: far)
        > plain.resized(to: size).signalToNoise(against: far) + 3)
  }

  @Test func aProfileForGreyHasNoPalette() throws {
    var image = Image(try Bitmap(40, 40, .gray8) { x, y in [x * y % 256] })
    image.metadata.iccProfile = Data(repeating: 0, count: 16) + Data("GRAY".utf8) + Data(repeating: 0, count: 108)
    let bytes = try T.encode(image) { $0.settings[.pngPalette] = PNGPalette(colors: 4) }
    #expect(try palette(of: bytes) == nil)
  }

  @Test func moreEffortMakesSmallerFilesOfTheSamePixels() throws {
    for bitmap in [try Bitmap.waves(200, 150), try Bitmap(200, 150, .rgba8) { x, y in [x, y, x ^ y, 255 - x] }] {
      let files = try [1, 2, 3].map { effort in try written(bitmap, nil) { $0.settings[.pngEffort] = effort } }
      #expect(files[1].count < files[0].count && files[2].count <= files[1].count)
      for file in files { #expect(try T.decode(file).bitmap == bitmap) }
    }
  }

  @Test func framesHaveNoPaletteButTheEffort() throws {
    let bitmaps = try (0..<3).map { _ in try Bitmap.noise(30, 20, .rgba8) }
    let frames = Frames(bitmaps: bitmaps, durations: bitmaps.map { _ in .milliseconds(50) })
    let bytes = try T.encode(frames.image) {
      $0.settings[.pngPalette] = PNGPalette(colors: 4)
      $0.settings[.pngEffort] = 2
    }
    let again = try #require(try T.decode(bytes).frames)
    for index in 0..<3 { #expect(try again.frame(at: index) == bitmaps[index]) }
  }

  @Test func theWorkCanBeCancelled() throws {
    let bitmap = try Bitmap.waves(300, 200)
    for settings in [(PNGPalette(), 1), (nil, 2), (nil, 3)] {
      var options = EncodeOptions()
      options.settings[.pngPalette] = settings.0
      options.settings[.pngEffort] = settings.1
      let work = WorkContext(isCancelled: true)
      let error = #expect(throws: ImageError.self) {
        try PNGCoder().encode(Image(bitmap), as: .png, options: options, work: work)
      }
      #expect(error?.code == .cancelled)
    }
  }

  @Test func thePaletteIsATextInKeys() {
    for palette in [
      PNGPalette(), PNGPalette(colors: 3), PNGPalette(quality: 60...85), PNGPalette(colors: 16, dithering: 0.5),
      PNGPalette(colors: 999, quality: -5...400, dithering: .nan),
    ] {
      #expect(PNGPalette(palette.description) == palette)
    }
    #expect(PNGPalette(quality: 60...85).description == "256/60-85" && PNGPalette(colors: 8).description == "8")
    for text in ["", "1", "257", "8/", "8/5", "8/9-2", "8/0-101", "8/0-100/2", "8/0-100/1/1", "x"] {
      #expect(PNGPalette(text) == nil, "\(text)")
    }
  }

  @Test func theSettingsAreEffective() {
    func effective(_ palette: PNGPalette?, _ effort: Int?) -> EncodeOptions {
      var options = EncodeOptions()
      options.settings[.pngPalette] = palette
      options.settings[.pngEffort] = effort
      return PNGCoder().effectiveOptions(options, for: .png)
    }
    #expect(effective(nil, nil) == effective(nil, 1) && effective(nil, 2) != effective(nil, 1))
    #expect(effective(nil, 3) == effective(nil, 9) && effective(nil, 3) != effective(nil, 2))
    let palette = PNGPalette(colors: 9)
    #expect(effective(palette, nil) == effective(palette, 2) && effective(palette, 1) != effective(palette, 2))
    #expect(effective(palette, nil).settings[.pngPalette] == palette)
  }
}
