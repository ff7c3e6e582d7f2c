import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselBasic

struct BMPTests {
  private let coder = BMPCoder()

  private let red = PixelColor(red: 255, green: 0, blue: 0)
  private let green = PixelColor(red: 0, green: 255, blue: 0)
  private let blue = PixelColor(red: 0, green: 0, blue: 255)
  private static let three = [(255, 0, 0), (0, 255, 0), (0, 0, 255)]

  private func samples() throws -> [ImageSample] {
    let signature = [0..<2, 14..<18]
    let rgba = try Bitmap.noise(13, 9, .rgba8)
    let opaque = try Bitmap.noise(11, 7, .opaqueRGBA8)
    let runs = HandmadeBMP(
      width: 5, height: 3, bits: 8, compression: 1, colorCount: 3, colors: Self.three,
      pixels: [2, 1, 3, 2, 0, 0, 0, 5, 0, 1, 2, 1, 0, 0, 0, 0, 5, 2, 0, 1])
    let profile = HandmadeBMP(
      headerBytes: 124, width: 3, height: 2, bits: 24, pixels: (0..<24).map { 10 * $0 },
      profile: Array(linearProfile(isGray: false)))
    return [
      ImageSample("with alpha", bytes: try written(Image(rgba), by: coder), pixels: rgba, signature: signature),
      ImageSample("opaque", bytes: try written(Image(opaque), by: coder), pixels: opaque, signature: signature),
      ImageSample("runs", bytes: runs.bytes, signature: signature),
      ImageSample("a profile", bytes: profile.bytes, signature: signature),
    ]
  }

  @Test func theCoderKeepsItsContract() async throws {
    let violations = try await ImageCoderContract(coder, samples: samples()).check()
    #expect(violations == [])
  }

  @Test(arguments: [12, 16, 40, 48, 52, 56, 64, 108, 124])
  func everyHeaderIsRead(headerBytes: Int) throws {
    let file = HandmadeBMP(
      headerBytes: headerBytes, width: 3, height: 2, bits: 24,
      pixels: [0, 0, 255, 0, 255, 0, 255, 0, 0, 9, 9, 9, 255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9])
    let image = try read(file.bytes, by: coder)
    #expect(colors(image) == [blue, green, red, red, green, blue])
    #expect(image.bitmap.format == .opaqueRGBA8)
    #expect(try MetadataCount.of(file.bytes, by: coder) == 0)
  }

  @Test(
    arguments: [
      (1, [0b0100_0000, 0, 0, 0]), (2, [0b0001_1000, 0, 0, 0]), (4, [0x01, 0x20, 0, 0]), (8, [0, 1, 2, 0]),
    ] as [(Int, [UInt8])])
  func indicesOfEveryDepthNameColours(bits: Int, pixels: [UInt8]) throws {
    let table = bits == 1 ? Array(Self.three.prefix(2)) : Self.three
    for headerBytes in [12, 40] {
      let file = HandmadeBMP(
        headerBytes: headerBytes, width: 3, height: 1, bits: bits, colorCount: table.count, colors: table,
        pixels: pixels)
      #expect(colors(try read(file.bytes, by: coder)) == [red, green, bits == 1 ? red : blue])
    }
  }

  @Test func anIndexBeyondTheTableIsBlack() throws {
    let file = HandmadeBMP(
      width: 4, height: 1, bits: 8, colorCount: 3, colors: Self.three, pixels: [0, 3, 255, 2])
    #expect(colors(try read(file.bytes, by: coder)) == [red, .black, .black, blue])
  }

  @Test func sixteenBitsHaveFiveForEachColour() throws {
    let file = HandmadeBMP(width: 4, height: 1, bits: 16, pixels: [0, 0x7C, 0xE0, 0x03, 0x1F, 0x80, 0x10, 0x42])
    let middle = PixelColor(red: 131, green: 131, blue: 131)
    #expect(colors(try read(file.bytes, by: coder)) == [red, green, blue, middle])
  }

  @Test func theFourthByteMeansNothingWithoutAMask() throws {
    let pixels: [UInt8] = [0, 0, 255, 0, 0, 255, 0, 128]
    let plain = try read(HandmadeBMP(width: 2, height: 1, bits: 32, pixels: pixels).bytes, by: coder)
    #expect(colors(plain) == [red, green])
    #expect(plain.bitmap.format == .opaqueRGBA8)
  }

  @Test(arguments: [(40, 6), (56, 3), (108, 3), (124, 3)])
  func aMaskOfAlphaGivesAlpha(headerBytes: Int, compression: Int) throws {
    let file = HandmadeBMP(
      headerBytes: headerBytes, width: 2, height: 1, bits: 32, compression: compression,
      masks: [0xFF00_0000, 0xFF0000, 0xFF00, 0xFF], pixels: [7, 3, 2, 1, 0, 6, 5, 4])
    let image = try read(file.bytes, by: coder)
    #expect(
      colors(image) == [
        PixelColor(red: 1, green: 2, blue: 3, alpha: 7), PixelColor(red: 4, green: 5, blue: 6, alpha: 0),
      ])
    #expect(try coder.probe(ImageBytes(file.bytes), work: WorkContext()).hasAlpha)
  }

  @Test(arguments: [56, 108, 124], [[0xF00, 0xF0, 0xF, 0], [0x00C0, 0x0038, 0x0001, 0], [0x1, 0x3E, 0xFFC0, 0]])
  func sixteenBitsMayHaveAnyMasksAndNoneOfAlpha(headerBytes: Int, masks: [Int]) throws {
    let all = masks.reduce(0, |)
    let file = HandmadeBMP(
      headerBytes: headerBytes, width: 2, height: 1, bits: 16, compression: 3, masks: masks,
      pixels: [
        UInt8(truncatingIfNeeded: all), UInt8(all >> 8), UInt8(truncatingIfNeeded: masks[1]), UInt8(masks[1] >> 8),
      ])
    let image = try read(file.bytes, by: coder)
    #expect(colors(image) == [.white, green] && image.bitmap.format == .opaqueRGBA8)
  }

  @Test func masksOfAnyWidthAreScaled() throws {
    let file = HandmadeBMP(
      width: 1, height: 1, bits: 32, compression: 3, masks: [0xFFC0_0000, 0x003F_FFFE, 0x1],
      pixels: [0xFF, 0xFF, 0x3F, 0x80])
    #expect(colors(try read(file.bytes, by: coder)) == [PixelColor(red: 127, green: 255, blue: 255)])
    let gaps = HandmadeBMP(
      width: 1, height: 1, bits: 16, compression: 3, masks: [0xF0F0, 0xF0F0, 0], pixels: [0xF0, 0xF0, 0, 0])
    #expect(colors(try read(gaps.bytes, by: coder)) == [PixelColor(red: 255, green: 255, blue: 0)])
  }

  @Test func aNegativeHeightBeginsAtTheTop() throws {
    let file = HandmadeBMP(
      width: 1, height: -2, bits: 8, colorCount: 3, colors: Self.three, pixels: [0, 0, 0, 0, 1, 0, 0, 0])
    #expect(colors(try read(file.bytes, by: coder)) == [red, green])
  }

  @Test func runsOfBytesAreRead() throws {
    // Two green, a skip of one, a move up by one row and right by one, three bytes as they are, an early end.
    let file = HandmadeBMP(
      width: 4, height: 4, bits: 8, compression: 1, colorCount: 3, colors: Self.three,
      pixels: [2, 1, 0, 2, 1, 1, 1, 2, 0, 0, 0, 3, 1, 2, 1, 0, 0, 1])
    let none = red
    #expect(
      colors(try read(file.bytes, by: coder)) == [
        none, none, none, none, green, blue, green, none, none, none, none, blue, green, green, none, none,
      ])
    #expect(try MetadataCount.of(file.bytes, by: coder) == 0)
  }

  @Test func runsOfHalfBytesAreRead() throws {
    let file = HandmadeBMP(
      width: 5, height: -2, bits: 4, compression: 2, colorCount: 3, colors: Self.three,
      pixels: [3, 0x12, 0, 0, 0, 5, 0x01, 0x20, 0x10, 0, 0, 1])
    #expect(
      colors(try read(file.bytes, by: coder)) == [
        green, blue, green, red, red, red, green, blue, red, green,
      ])
  }

  @Test func runsNeverLeaveTheirRow() throws {
    let file = HandmadeBMP(
      width: 2, height: 2, bits: 8, compression: 1, colorCount: 3, colors: Self.three,
      pixels: [255, 1, 0, 4, 2, 2, 2, 2, 0, 2, 255, 255, 9, 9])
    #expect(colors(try read(file.bytes, by: coder)) == [red, red, green, green])
  }

  @Test(arguments: [[2, 1], [2, 1, 0], [2, 1, 0, 2, 1], [2, 1, 0, 0, 1, 1], [2, 1, 0, 0, 0, 4, 1]] as [[UInt8]])
  func cutRunsAreAnErrorOrAPart(pixels: [UInt8]) throws {
    let file = HandmadeBMP(
      width: 2, height: 3, bits: 8, compression: 1, colorCount: 3, colors: Self.three, pixels: pixels)
    let error = failure(file.bytes, by: coder, DecodeOptions())
    #expect(error?.message.hasPrefix("BMP: the file ends within the pixels, after ") == true)
    #expect(try MetadataCount.of(file.bytes, by: coder) == nil)
    guard let part = try? read(file.bytes, by: coder, DecodeOptions(damaged: .show)) else { return }
    #expect(part.traits == .partial)
    #expect(colors(part) == [.clear, .clear, .clear, .clear, green, green])
  }

  @Test func onlyTheCodeOfTheEndMayBeMissing() throws {
    let file = HandmadeBMP(
      width: 2, height: 1, bits: 8, compression: 1, colorCount: 3, colors: Self.three, pixels: [2, 1])
    let image = try read(file.bytes, by: coder)
    #expect(colors(image) == [green, green] && image.traits == [] && image.metadata.notes.count == 1)
    #expect(failure(file.bytes, by: coder, DecodeOptions(damaged: .refuse))?.code == .badImageData)
    #expect(try MetadataCount.of(file.bytes, by: coder) == nil)
  }

  @Test func cutRowsAreAnErrorOrAPart() throws {
    var file = HandmadeBMP(width: 1, height: 2, bits: 24, pixels: [0, 0, 255, 0, 0, 255]).bytes
    #expect(failure(file, by: coder)?.message == "BMP: the file ends within the pixels, after 1 rows.")
    let part = try read(file, by: coder, DecodeOptions(damaged: .show))
    // The lowest row comes first.
    #expect(colors(part) == [.clear, red])
    // The bytes that fill up the last row say nothing.
    file.append(0)
    #expect(failure(file, by: coder, DecodeOptions(damaged: .refuse))?.code == .badImageData)
    #expect(try read(file, by: coder).metadata.notes.count == 1)
    file.append(0)
    #expect(try read(file, by: coder, DecodeOptions(damaged: .refuse)).metadata.notes.isEmpty)
    #expect(colors(try read(file, by: coder)) == [green, red])
    #expect(try read(file, by: coder).traits == [])
  }

  @Test func impossibleHeadersAreNotRecognized() {
    let sound = HandmadeBMP(width: 1, height: 1, bits: 24, pixels: [0, 0, 0, 0])
    #expect(coder.canDecode(prefix: sound.bytes))
    #expect(coder.canDecode(prefix: Array(sound.bytes.prefix(50))))
    #expect(!coder.canDecode(prefix: Array(sound.bytes.prefix(49))))
    var others = [HandmadeBMP](repeating: sound, count: 9)
    others[0].headerBytes = 44
    others[1].width = 0
    others[2].height = 0
    others[3].bits = 0
    others[4].bits = 64
    others[5].compression = 1
    others[6].compression = 4
    others[7].compression = 3
    others[8].width = -1
    for other in others {
      #expect(!coder.canDecode(prefix: other.bytes))
      #expect(failure(other.bytes, by: coder)?.code == .badImageData)
    }
    #expect(!coder.canDecode(prefix: Array("BM is how this text begins, and it goes on and on for long.".utf8)))
    #expect(failure(Array("BM".utf8), by: coder)?.message.hasPrefix("BMP: ") == true)
  }

  @Test func masksWithoutColoursAreRefused() {
    let file = HandmadeBMP(width: 1, height: 1, bits: 32, compression: 3, masks: [0, 0, 0], pixels: [0, 0, 0, 0])
    #expect(failure(file.bytes, by: coder)?.message == "BMP: the bit masks leave no colour.")
    #expect(failure(Array(file.bytes.prefix(60)), by: coder)?.message == "BMP: the file ends within the bit masks.")
  }

  @Test func sizesAreCheckedBeforeAnythingIsRead() {
    for (width, height) in [(65_536, 1), (1, -65_536), (20_000, 20_000), (0x7FFF_FFFF, Int(Int32.min))] {
      let file = HandmadeBMP(width: width, height: height, bits: 32)
      #expect(failure(file.bytes, by: coder)?.code == .limitExceeded)
    }
  }

  @Test func thePixelsAreWhereTheHeaderSays() throws {
    var file = HandmadeBMP(width: 1, height: 1, bits: 24, pixels: [0, 0, 255, 0], gap: [1, 2, 3])
    #expect(colors(try read(file.bytes, by: coder)) == [red])
    #expect(try MetadataCount.of(file.bytes, by: coder) == 3)
    // An offset within the header cannot be right.
    file.gap = []
    file.statedOffset = 3
    #expect(colors(try read(file.bytes, by: coder)) == [red])
    file.statedOffset = 0xFFFF_FFFF
    #expect(failure(file.bytes, by: coder)?.code == .badImageData)
  }

  @Test func aShortTableEndsWhereThePixelsBegin() throws {
    let file = HandmadeBMP(headerBytes: 12, width: 2, height: 1, bits: 8, colors: Self.three, pixels: [2, 3, 0, 0])
    #expect(colors(try read(file.bytes, by: coder)) == [blue, .black])
  }

  @Test func theProfileIsAppliedOrKept() throws {
    let profile = linearProfile(isGray: false)
    var file = HandmadeBMP(headerBytes: 124, width: 1, height: 1, bits: 24, pixels: [99, 99, 99, 0])
    file.profile = Array(profile)
    #expect(colors(try read(file.bytes, by: coder))[0].red > 150)
    let kept = try read(file.bytes, by: coder, DecodeOptions(convertsColor: false))
    #expect(kept.metadata.iccProfile == profile)
    #expect(colors(kept)[0].red == 99)
    #expect(try MetadataCount.of(file.bytes, by: coder) == 0)
    #expect(try coder.probe(ImageBytes(file.bytes), work: WorkContext()).iccProfileBytes == profile.count)
    let cut = Array(file.bytes.dropLast())
    #expect(failure(cut, by: coder)?.message == "BMP: the file ends within the colour profile.")
    let part = try read(cut, by: coder, DecodeOptions(damaged: .show))
    #expect(part.traits == .partial && part.metadata.iccProfile == nil)
    #expect(try MetadataCount.of(cut, by: coder) == nil)
    var limits = Limits()
    limits.metadataBytes = 10
    #expect(failure(file.bytes, by: coder, limits: limits)?.code == .limitExceeded)
  }

  @Test func theDensityIsRead() throws {
    let file = HandmadeBMP(width: 1, height: 1, bits: 24, pixels: [0, 0, 0, 0], pixelsPerMetre: 1000)
    #expect(try read(file.bytes, by: coder).metadata.density == ImageMetadata.Density(horizontal: 25.4, vertical: 25.4))
  }

  @Test func everyKindOfPictureComesBack() throws {
    for format in [PixelFormat.rgba8, .opaqueRGBA8, .gray8] {
      for width in 1...5 {
        let bitmap = try Bitmap.noise(width, 31, format)
        let bytes = try written(Image(bitmap), by: coder)
        let expected = format == .gray8 ? try bitmap.converted(to: .opaqueRGBA8) : bitmap
        #expect(try read(bytes, by: coder).bitmap == expected)
        #expect(try MetadataCount.of(bytes, by: coder) == 0)
      }
    }
  }

  @Test func theEndsOfRowsAreZerosWhateverTheirMemoryHeldBefore() throws {
    let bytesPerRow = 304
    for _ in 0..<4 {
      _ = try Data(pooledCount: 54 + 300 * bytesPerRow) { $0.initializeMemory(as: UInt8.self, repeating: 9) }
    }
    let bytes = try written(Image(Bitmap.noise(101, 300, .opaqueRGBA8)), by: coder)
    #expect(bytes.count == 54 + 300 * bytesPerRow)
    for end in stride(from: 54 + bytesPerRow, through: bytes.count, by: bytesPerRow) { #expect(bytes[end - 1] == 0) }
  }

  @Test func thumbnailsOfBothDirectionsAreTheSame() throws {
    let bitmap = try Bitmap.waves(60, 40)
    let bottomUp = try written(Image(bitmap), by: coder)
    var topDown = Array(bottomUp.prefix(54))
    topDown.replaceSubrange(22..<26, with: [UInt8(256 - 40), 255, 255, 255])
    for y in (0..<40).reversed() { topDown += bottomUp[54 + 180 * y..<54 + 180 * (y + 1)] }
    let options = DecodeOptions(thumbnailSize: PixelSize(width: 15, height: 10))
    let small = try read(bottomUp, by: coder, options)
    #expect(small.size == PixelSize(width: 15, height: 10))
    #expect(small.bitmap.largestDifference(from: try read(topDown, by: coder, options).bitmap) <= 1)
    #expect(try read(topDown, by: coder).bitmap == bitmap)
  }

  @Test func exactlyTheLimitsOfTheSizeHaveAnEffect() throws {
    let names: Set = ["maxPixelSize", "maxFileBytes"]
    #expect(try EncodeOptionWalk.result(of: coder) == .init(onFiles: names, onEffectiveOptions: names))
    #expect(!coder.writesFrames(as: .bmp))
  }
}
