import CEaselColorFixtures
import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestSupport
import Foundation
import Testing

@testable import EaselJPEG2000

struct JPEG2000Tests {
  private let coder = JPEG2000Coder()

  private func read(
    _ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions(), limits: Limits = Limits()
  ) throws -> Image {
    try coder.decode(ImageBytes(bytes), options: options, work: WorkContext(limits: limits))
  }

  private func failure(
    _ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions(), limits: Limits = Limits()
  ) -> ImageError? {
    do {
      _ = try read(bytes, options, limits: limits)
      return nil
    } catch {
      return error as? ImageError
    }
  }

  /// A picture of 16x12 pixels.
  private func small(_ format: PixelFormat, _ pixel: (Int, Int) -> [Int]) throws -> Bitmap {
    try Bitmap(16, 12, format, pixel)
  }

  private func colors() throws -> Bitmap { try small(.opaqueRGBA8) { x, y in [16 * x, 20 * y, 64, 255] } }

  @Test func theCoderKeepsItsContract() async throws {
    let signature = [0..<12]
    let alpha = HandmadeJP2.definitions([(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 1, 0)])
    let samples = try [
      ImageSample(
        "colours", bytes: HandmadeJP2(stream: Codestreams.colors).bytes, pixels: colors(), signature: signature),
      ImageSample(
        "alpha", bytes: HandmadeJP2(stream: Codestreams.colorsAndAlpha, boxes: [HandmadeJP2.colors(16), alpha]).bytes,
        signature: signature),
      ImageSample(
        "grey", bytes: HandmadeJP2(stream: Codestreams.gray, boxes: [HandmadeJP2.colors(17)]).bytes,
        signature: signature),
      ImageSample("a codestream in tiles", bytes: Codestreams.tiles, signature: [0..<4]),
      ImageSample("a large codestream", bytes: Codestreams.large, signature: [0..<4]),
    ]
    #expect(await ImageCoderContract(coder, samples: samples).check() == [])
  }

  @Test func theCardsSamplesAreAFileAndItsCodestream() throws {
    for card in coder.cards {
      let sample = try #require(card.sample)
      #expect(try read(sample).bitmap == small(.opaqueRGBA8) { x, y in [16 * x, 20 * y, 64, 255] })
      #expect(try coder.probe(ImageBytes(sample), work: WorkContext()).format == card.format)
      #expect(coder.fileExtensions(of: card.format) == card.fileExtensions)
    }
  }

  @Test func everySampleHasItsPixel() throws {
    #expect(try read(Codestreams.colors).bitmap == colors())
    let gray = try read(Codestreams.gray)
    #expect(try gray.bitmap == small(.opaqueRGBA8) { x, y in [15 * x + y, 15 * x + y, 15 * x + y, 255] })
    #expect(
      try read(Codestreams.grayAndAlpha).bitmap
        == small(.rgba8) { x, y in [15 * x + y, 15 * x + y, 15 * x + y, 255 - 20 * y] })
    #expect(
      try read(Codestreams.colorsAndAlpha).bitmap
        == small(.rgba8) { x, y in [16 * x, 20 * y, 64, 255 - 16 * x] })
    #expect(
      try read(Codestreams.tiles).bitmap
        == Bitmap(40, 24, .opaqueRGBA8) { x, y in [6 * x, 10 * y, 64, 255] })
    #expect(
      try read(Codestreams.signedGray).bitmap
        == small(.opaqueRGBA8) { x, y in
          let value = 8 * x - 60 + y + 128
          return [value, value, value, 255]
        })
  }

  @Test func samplesOf16BitsAreKeptWhereThatIsWanted() throws {
    func value(_ x: Int, _ y: Int) -> Int { 4000 * x + 300 * y }
    let wide = try read(Codestreams.wideGray, DecodeOptions(keeps16Bits: true))
    #expect(
      try wide.bitmap
        == small(PixelFormat(.rgba16, alpha: .opaque)) { x, y in [value(x, y), value(x, y), value(x, y), 65_535] })
    let narrow = try read(Codestreams.wideGray)
    #expect(
      try narrow.bitmap
        == small(.opaqueRGBA8) { x, y in [value(x, y) >> 8, value(x, y) >> 8, value(x, y) >> 8, 255] })
    #expect(try coder.probe(ImageBytes(Codestreams.wideGray), work: WorkContext()).bitDepth == 16)
  }

  @Test func coloursOfHalfTheResolutionAreThoseOfYCC() throws {
    for bytes in [
      Codestreams.halvedColors,
      HandmadeJP2(stream: Codestreams.halvedColors, boxes: [HandmadeJP2.colors(18)]).bytes,
    ] {
      let bitmap = try read(bytes).bitmap
      for (x, y) in [(0, 0), (7, 5), (15, 11)] {
        let light = Double(10 * x + 5 * y)
        let expected = [light + 1.402 * 72, light + 0.344136 * 38 - 0.714136 * 72, light - 1.772 * 38]
        for (component, value) in zip(bitmap.components(x, y), expected) {
          #expect(abs(Double(component) - min(255, max(0, value))) <= 1, "\(x), \(y)")
        }
      }
    }
  }

  @Test func aPaletteGivesColours() throws {
    let palette: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 20, 30]]
    let file = HandmadeJP2(
      stream: Codestreams.numbers, boxes: [HandmadeJP2.colors(16)] + HandmadeJP2.palette(palette))
    #expect(
      try read(file.bytes).bitmap
        == small(.opaqueRGBA8) { x, y in palette[(x + y) % 4].map { Int($0) } + [255] })
    // Numbers beyond the palette count as its last one.
    let short = HandmadeJP2(
      stream: Codestreams.numbers,
      boxes: [HandmadeJP2.colors(16)] + HandmadeJP2.palette(Array(palette.prefix(2))))
    #expect(try read(short.bytes).bitmap.components(2, 1) == [0, 255, 0, 255])
    let useless = HandmadeJP2(
      stream: Codestreams.numbers, boxes: [HandmadeJP2.colors(16), HandmadeJP2.palette(palette)[0]])
    #expect(failure(useless.bytes)?.message.contains("palette") == true)
  }

  @Test func inksBecomeColours() throws {
    let file = HandmadeJP2(stream: Codestreams.colorsAndAlpha, boxes: [HandmadeJP2.colors(12)])
    let image = try read(file.bytes)
    #expect(image.bitmap.format == .opaqueRGBA8)
    for (x, y) in [(0, 0), (9, 4), (15, 11)] {
      let light = Double(16 * x) / 255
      let expected = [16 * x, 20 * y, 64].map { Double(255 - $0) * light }
      for (component, value) in zip(image.bitmap.components(x, y), expected) {
        #expect(abs(Double(component) - value) <= 1)
      }
    }
  }

  @Test func channelsAreWhatTheFileSaysOfThem() throws {
    // Blue, green and red in this order, and alpha that the colours were multiplied by.
    let definitions = HandmadeJP2.definitions([(0, 0, 3), (1, 0, 2), (2, 0, 1), (3, 2, 0)])
    let file = HandmadeJP2(stream: Codestreams.colorsAndAlpha, boxes: [HandmadeJP2.colors(16), definitions])
    let image = try read(file.bytes)
    #expect(image.bitmap.format == .rgba8 && image.bitmap.components(0, 3) == [64, 60, 0, 255])
    // Half of it is there: 64 of 127 is half of the light, too.
    #expect(abs(image.bitmap.components(8, 3)[0] - 64 * 255 / 127) <= 1)
    let strange = HandmadeJP2(
      stream: Codestreams.colors, boxes: [HandmadeJP2.colors(16), HandmadeJP2.definitions([(7, 0, 1)])])
    #expect(failure(strange.bytes)?.code == .badImageData)
    let missing = HandmadeJP2(stream: Codestreams.gray)
    #expect(failure(missing.bytes)?.message.contains("its colours need 3") == true)
    let unknown = HandmadeJP2(stream: Codestreams.colors, boxes: [HandmadeJP2.colors(14)])
    #expect(failure(unknown.bytes)?.code == .unsupportedFormat)
  }

  @Test func coloursAreConvertedByTheirProfile() throws {
    for isGray in [false, true] {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let primaries = [0.64, 0.33, 0.3, 0.6, 0.15, 0.06]
      // Of linear light, so that every middle value becomes lighter in sRGB.
      let count = easel_make_icc_profile(isGray ? nil : primaries, 1, &bytes, bytes.count)
      let profile = HandmadeJP2.profile(Array(bytes.prefix(count)))
      let file = HandmadeJP2(stream: isGray ? Codestreams.gray : Codestreams.colors, boxes: [profile]).bytes
      let image = try read(file)
      #expect(image.bitmap.components(4, 4)[0] > 104 && image.metadata.iccProfile == nil)
      let kept = try read(file, DecodeOptions(convertsColor: false))
      #expect(kept.bitmap.components(4, 4)[0] == 64 && kept.metadata.iccProfile?.count == count)
      #expect(try coder.probe(ImageBytes(file), work: WorkContext()).iccProfileBytes == count)
    }
  }

  @Test func thumbnailsComeFromSmallerResolutions() throws {
    let bytes = ImageBytes(Codestreams.large)
    let file = try JPEG2000File(bytes, limits: Limits())
    #expect(file.stream.levels == 5 && file.stream.size(halvings: 5) == PixelSize(width: 20, height: 17))
    for side in [640, 600, 320, 100, 20, 3] {
      let image = try read(
        Codestreams.large, DecodeOptions(thumbnailSize: PixelSize(width: side, height: side)))
      #expect(image.size == PixelSize(width: 640, height: 520).thumbnail(in: PixelSize(width: side, height: side)))
      #expect(image.traits.contains(.thumbnail) == (side < 640))
      let pixel = image.bitmap.components(0, 0)
      #expect(pixel[0] == 200 && pixel[1] == 100 && pixel[2] == 50, "\(side)")
    }
    // Tiles are made smaller each for itself, and still fit together. Samples are those of corners.
    let tiles = try read(Codestreams.tiles, DecodeOptions(thumbnailSize: PixelSize(width: 10, height: 10)))
    #expect(tiles.size == PixelSize(width: 10, height: 6))
    let whole = try read(Codestreams.tiles).bitmap.resized(to: tiles.size, linearLight: true)
    #expect(tiles.bitmap.largestDifference(from: whole) <= 20)
  }

  @Test func aFileMayLeaveTheLengthOfItsCodestreamOpen() throws {
    let file = HandmadeJP2(stream: Codestreams.colors, statesLength: false)
    #expect(try read(file.bytes).bitmap == colors())
  }
}
