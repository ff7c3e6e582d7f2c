import EaselColor
import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselBasic

struct QOITests {
  private let coder = QOICoder()

  /// A file of these codes, with its end.
  private func file(_ width: Int, _ height: Int, channels: UInt8 = 4, _ codes: [UInt8], ends: Bool = true) -> [UInt8] {
    let size = PixelSize(width: width, height: height)
    var bytes = QOIHeader(size: size, hasAlpha: channels == 4).bytes
    bytes[12] = channels
    return bytes + codes + (ends ? QOIPixelReader.end : [])
  }

  private func samples() throws -> [ImageSample] {
    try [(13, 9, PixelFormat.rgba8), (11, 7, .opaqueRGBA8)].map { width, height, format in
      let bitmap = try Bitmap.noise(width, height, format)
      return ImageSample(
        "\(format)", bytes: try written(Image(bitmap), by: coder), pixels: bitmap, signature: [0..<4, 12..<14])
    } + [ImageSample("a picture of runs", bytes: file(100, 3, [0xFE, 1, 2, 3] + [UInt8](repeating: 0xFD, count: 5)))]
  }

  @Test func theCoderKeepsItsContract() async throws {
    let violations = try await ImageCoderContract(coder, samples: samples()).check()
    #expect(violations == [])
  }

  @Test func everyCodeHasItsMeaning() throws {
    let codes: [UInt8] = [
      0xFE, 10, 20, 30,  // red, green, blue
      0xFF, 200, 100, 50, 40,  // and alpha
      0x40 | 3 << 4 | 0 << 2 | 2,  // small changes: +1, -2, 0
      0x80 | 40, 0x2F,  // green +8, red 8-6, blue 8+7
      0xC1,  // twice the same
      UInt8(QOIPixel(200, 100, 50, 40).qoiPlace),  // a pixel seen before
    ]
    let image = try read(file(7, 1, codes), by: coder)
    let expected: [(UInt8, UInt8, UInt8, UInt8)] = [
      (10, 20, 30, 255), (200, 100, 50, 40), (201, 98, 50, 40), (203, 106, 65, 40), (203, 106, 65, 40),
      (203, 106, 65, 40), (200, 100, 50, 40),
    ]
    #expect(colors(image) == expected.map { PixelColor(red: $0.0, green: $0.1, blue: $0.2, alpha: $0.3) })
    #expect(image.bitmap.format == .rgba8)
  }

  @Test func changesWrapAround() throws {
    let image = try read(file(2, 1, channels: 3, [0x40 | 0 << 4 | 1 << 2 | 3, 0x80 | 0, 0x00]), by: coder)
    #expect(
      colors(image) == [PixelColor(red: 254, green: 255, blue: 1), PixelColor(red: 214, green: 223, blue: 217)])
  }

  @Test func aRunAtTheStartRepeatsBlackAndIsRemembered() throws {
    let image = try read(file(3, 1, [0xC0, 0xFE, 9, 9, 9, UInt8(QOIPixel.qoiStart.qoiPlace)]), by: coder)
    #expect(colors(image) == [.black, PixelColor(red: 9, green: 9, blue: 9), .black])
  }

  @Test func alphaOfAFileWithoutAlphaIsNotShown() throws {
    let image = try read(file(2, 1, channels: 3, [0xFF, 1, 2, 3, 0, 0xC0]), by: coder)
    #expect(image.bitmap.format == .opaqueRGBA8)
    #expect(colors(image) == Array(repeating: PixelColor(red: 1, green: 2, blue: 3), count: 2))
  }

  @Test func aRunMayGoBeyondTheEnd() throws {
    let bytes = file(4, 2, [0xFD])
    #expect(colors(try read(bytes, by: coder)) == Array(repeating: .black, count: 8))
    #expect(try MetadataCount.of(bytes, by: coder) == nil)
  }

  @Test func everyKindOfPictureComesBack() throws {
    for format in [PixelFormat.rgba8, .opaqueRGBA8, .gray8] {
      let bitmap = try Bitmap.noise(40, 31, format)
      let again = try read(written(Image(bitmap), by: coder), by: coder).bitmap
      #expect(again == (format == .gray8 ? try bitmap.converted(to: .opaqueRGBA8) : bitmap))
    }
    let waves = try Bitmap.waves(200, 150)
    let file = try written(Image(waves), by: coder)
    #expect(try read(file, by: coder).bitmap.largestDifference(from: waves) == 0)
    // Smooth pictures are made of changes and runs.
    #expect(file.count < 200 * 150 * 3)
  }

  @Test func runsOfEveryLengthComeBack() throws {
    for length in [1, 2, 61, 62, 63, 124, 125] {
      let bitmap = try Bitmap(length + 1, 2, .opaqueRGBA8) { x, y in x == length ? [9, 8, 7, 255] : [0, 0, 0, 255] }
      #expect(try read(written(Image(bitmap), by: coder), by: coder).bitmap == bitmap)
    }
  }

  @Test func aTurnedPictureIsWrittenUpright() throws {
    let bitmap = try Bitmap.noise(5, 3, .rgba8)
    let turned = Image(bitmap, metadata: ImageMetadata(storedSize: bitmap.size, orientation: .right))
    #expect(try read(written(turned, by: coder), by: coder).bitmap == bitmap.oriented(.right))
  }

  @Test func aPictureInAnotherColourSpaceIsWrittenInSRGB() throws {
    let bitmap = try Bitmap.noise(5, 3, .opaqueRGBA8)
    let profile = linearProfile(isGray: false)
    let image = Image(bitmap, metadata: ImageMetadata(storedSize: bitmap.size, iccProfile: profile))
    let expected = try bitmap.converted(from: .icc(profile))
    #expect(expected != bitmap)
    #expect(try read(written(image, by: coder), by: coder).bitmap == expected)
    let gray = try Bitmap.noise(5, 3, .gray8)
    let tagged = Image(
      gray, metadata: ImageMetadata(storedSize: gray.size, iccProfile: linearProfile(isGray: true)))
    let lighter = try read(written(tagged, by: coder), by: coder)
    #expect(zip(colors(lighter), colors(Image(gray))).allSatisfy { $0.red >= $1.red && $0.red == $0.green })
    #expect(lighter.bitmap != (try gray.converted(to: .opaqueRGBA8)))
    let unusable = Image(bitmap, metadata: ImageMetadata(storedSize: bitmap.size, iccProfile: Data([1, 2, 3])))
    #expect(try read(written(unusable, by: coder), by: coder).bitmap == bitmap)
  }

  @Test func impossibleHeadersAreNotRecognized() {
    let sound = file(2, 2, [0xC3])
    #expect(coder.canDecode(prefix: sound))
    for (place, value) in [(0, UInt8(0x51)), (12, 2), (12, 5), (13, 2)] {
      var other = sound
      other[place] = value
      #expect(!coder.canDecode(prefix: other))
      #expect(failure(other, by: coder)?.code == .badImageData)
    }
    #expect(!coder.canDecode(prefix: Array(sound.prefix(13))))
    #expect(failure([], by: coder)?.message.hasPrefix("QOI: ") == true)
  }

  @Test func sizesAreCheckedBeforeAnythingIsRead() {
    #expect(failure(file(0, 3, []), by: coder)?.code == .badImageData)
    for (width, height) in [(0xFFFF_FFFF, 0xFFFF_FFFF), (65_536, 1), (20_000, 20_000)] {
      #expect(failure(file(width, height, []), by: coder)?.code == .limitExceeded)
    }
  }

  @Test func aCutFileIsAnErrorOrAPart() throws {
    let bytes = file(62, 3, [0xFD, 0xFE, 1, 2, 3], ends: false)
    #expect(
      failure(bytes, by: coder)?.message == "QOI: the file ends after 19 bytes, before row 1 of 3.")
    let part = try read(bytes, by: coder, DecodeOptions(damaged: .show))
    #expect(part.traits == .partial)
    #expect(colors(part).prefix(62) == Array(repeating: .black, count: 62)[...])
    #expect(part.bitmap.pixel(x: 0, y: 2) == .clear)
  }

  @Test func onlyTheEndMayBeMissing() throws {
    let bytes = file(62, 1, [0xFD], ends: false)
    for end in [[], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 2]] as [[UInt8]] {
      #expect(failure(bytes + end, by: coder, DecodeOptions(damaged: .refuse))?.code == .badImageData)
      let image = try read(bytes + end, by: coder)
      #expect(image.traits == [] && colors(image) == Array(repeating: .black, count: 62))
      #expect(image.metadata.notes == ["QOI: the bytes that end a file are missing."])
    }
  }

  @Test func largePicturesAreMadeNoLargerThanSuffices() throws {
    let runs = [UInt8](repeating: 0xFD, count: 2400 * 2400 / 62 + 1)
    let bytes = file(2400, 2400, runs)
    var options = DecodeOptions()
    options.leastSize = PixelSize(width: 30, height: 30)
    let image = try read(bytes, by: coder, options)
    #expect(image.size == PixelSize(width: 30, height: 30))
    #expect(image.traits == .thumbnail)
    #expect(colors(image).allSatisfy { $0 == .black })
  }

  @Test func onlyBytesAfterTheEndAreMetadata() throws {
    let bytes = file(3, 1, [0xC2])
    #expect(try MetadataCount.of(bytes, by: coder) == 0)
    #expect(try MetadataCount.of(bytes + [1, 2], by: coder) == 2)
    #expect(try MetadataCount.of(Array(bytes.dropLast()), by: coder) == nil)
    #expect(try MetadataCount.of(file(3, 1, [0xC2], ends: false), by: coder) == nil)
  }

  @Test func exactlyTheLimitsOfTheSizeHaveAnEffect() throws {
    let names: Set = ["maxPixelSize", "maxFileBytes"]
    #expect(try EncodeOptionWalk.result(of: coder) == .init(onFiles: names, onEffectiveOptions: names))
    #expect(!coder.writesFrames(as: .qoi))
  }
}
