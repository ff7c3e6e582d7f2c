import EaselCoding
import EaselCore
import EaselTestPixels
import FoundationEssentials
import Glibc
import Testing

@testable import EaselHEIF

struct DecodingTests {
  private typealias T = HEIFTesting
  private typealias B = HEIFBuilder

  @Test func onlyAListWithABrandOfHEVCIsRecognised() {
    func list(_ brands: String) -> [UInt8] { B.box("ftyp", Array(brands.utf8)) }
    for brands in [
      "heic\0\0\0\0", "heix\0\0\0\0mif1", "mif1\0\0\0\0miafheic", "msf1\0\0\0\0hevc", "heim\0\0\0\0", "heis\0\0\0\0",
      "heic\0\0\0\0mif1avifheic",
    ] {
      #expect(T.coder.canDecode(prefix: list(brands)), "\(brands)")
    }
    for brands in ["mif1\0\0\0\0", "avif\0\0\0\0mif1heic", "mif1\0\0\0\0heicavif", "isom\0\0\0\0mp41", "heic"] {
      #expect(!T.coder.canDecode(prefix: list(brands)), "\(brands)")
    }
  }

  // MARK: Pixels

  @Test(arguments: [CodedPicture.quarters, .quartersHalfWidth, .quartersFull, .quartersTenBits])
  func everyResolutionOfColoursGivesItsPixels(picture: CodedPicture) throws {
    let image = try T.decode(T.single(picture).bytes)
    #expect(image.size == PixelSize(width: 64, height: 64) && image.format == .heic && image.traits == [])
    let colors = T.colors(of: image.bitmap, at: (3, 3), (60, 3), (3, 60), (60, 60))
    #expect(colors == ["red", "green", "blue", "grey"])
  }

  @Test func tenBitsAreKeptWhenAskedFor() throws {
    let bytes = T.single(.quartersTenBits).bytes
    #expect(try T.probe(bytes).bitDepth == 10)
    let wide = try T.decode(bytes) { $0.keeps16Bits = true }
    #expect(wide.bitmap.format == PixelFormat(.rgba16, alpha: .opaque))
    #expect(abs(wide.bitmap.components(3, 3)[0] - 224 * 257) < 12 * 257)
    #expect(try T.decode(bytes).bitmap.format == .opaqueRGBA8)
  }

  @Test func greyPicturesAreGrey() throws {
    let bitmap = try T.decode(T.single(.halves).bytes).bitmap
    #expect(bitmap.components(3, 9).prefix(3).allSatisfy { $0 < 3 })
    #expect(bitmap.components(60, 9).prefix(3).allSatisfy { $0 > 252 })
  }

  @Test func greyPicturesFollowTheirProfile() throws {
    func middle(_ properties: [[UInt8]] = []) throws -> [Int] {
      var builder = T.single(.halves)
      builder.items[0].properties += properties
      let small = try T.decode(builder.bytes) {
        ($0.thumbnailSize, $0.fidelity) = (PixelSize(width: 5, height: 5), .fast)
      }
      return small.bitmap.components(2, 2)
    }
    let plain = try middle()
    #expect((100...155).contains(plain[0]) && plain[1] == plain[0])
    let light = 255 * (1.055 * pow(Double(plain[0]) / 255, 1 / 2.4) - 0.055)
    let code = B.codePoints(1, 13, 1, isFullRange: true)
    for properties in [[T.linearProfile()], [code, T.linearProfile()]] {
      let converted = try middle(properties)
      #expect(converted[0] == converted[1] && abs(Double(converted[0]) - light) < 2, "\(converted)")
    }
    let colors = try middle([T.linearProfile([0.64, 0.33, 0.3, 0.6, 0.15, 0.06])])
    #expect(abs(Double(colors[0]) - light) < 2, "A profile for colours suits grey too.")
  }

  @Test func theHeaderStatesTheCodePoints() throws {
    let header = try T.probe(T.single(.quarters, B.codePoints(9, 16, 9, isFullRange: true)).bytes)
    #expect(header.color == ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16)))
  }

  /// Encoders of video state the curve of television where nobody thinks of it; a box means it.
  @Test(arguments: [true, false])
  func theCurveOfTelevisionCountsOnlyInABox(isOld: Bool) throws {
    let picture = isOld ? CodedPicture.orangeOfOldTelevision : .orangeOfTelevision
    let plain = try T.decode(T.single(.orange).bytes).bitmap
    #expect(try T.decode(T.single(picture).bytes).bitmap == plain)
    #expect(try T.probe(T.single(picture).bytes).color?.coding == .sRGB)
    let box = B.codePoints(isOld ? 6 : 1, 6, 6, isFullRange: true)
    #expect(try T.decode(T.single(picture, box).bytes).bitmap.components(9, 9)[1] > plain.components(9, 9)[1] + 5)
    #expect(try T.probe(T.single(picture, box).bytes).color?.coding.transfer == 6)
    #expect(try T.probe(T.single(.orangeOfHighRange).bytes).color?.coding.transfer == 16, "Others count.")
  }

  @Test func theBoxOfCodePointsGoesBeforeTheCoding() throws {
    let plain = try T.decode(T.single().bytes).bitmap
    for (matrix, range) in [(1, true), (6, false), (9, true)] {
      let box = B.codePoints(1, 13, matrix, isFullRange: range)
      #expect(try T.decode(T.single(.quarters, box).bytes).bitmap != plain, "\(matrix) \(range)")
    }
    #expect(try T.decode(T.single(.quarters, B.codePoints(1, 13, 6, isFullRange: true)).bytes).bitmap == plain)
  }

  @Test func aMatrixThatNobodyKnowsIsNoGuess() throws {
    let box = B.codePoints(1, 13, 99, isFullRange: true)
    let error = #expect(throws: ImageError.self) { try T.decode(T.single(.quarters, box).bytes) }
    #expect(error?.code == .unsupportedFormat && error?.message.contains("matrix 99") == true)
  }

  @Test func redGreenAndBlueMayBeStoredAsTheyAre() throws {
    let box = B.codePoints(1, 13, 0, isFullRange: true)
    let bitmap = try T.decode(T.single(.quartersFull, box).bytes).bitmap
    // What is stored as brightness is green then.
    let stored = try T.decode(T.single(.quartersFull).bytes).bitmap.components(60, 60)[1]
    #expect(abs(bitmap.components(60, 60)[1] - stored) < 4)
    #expect(bitmap.components(60, 60)[0] == 128 && bitmap.components(60, 60)[2] == 128)
  }

  @Test(arguments: [16, 18])
  func ofHighRangeTheDefaultIsToneMapped(transfer: Int) throws {
    let bytes = T.single(.quartersTenBits, B.codePoints(9, transfer, 9, isFullRange: true)).bytes
    let image = try T.decode(bytes)
    #expect(image.bitmap.format == .opaqueRGBA8 && image.metadata.color == nil)
    let wide = try T.decode(bytes) { $0.keepsHighRange = true }
    #expect(wide.bitmap.format.layout == .rgba16 && wide.metadata.color?.coding.transfer == transfer)
  }

  // MARK: Alpha

  private func withAlpha(_ name: String = B.alphaName, isMultiplied: Bool = false) -> HEIFBuilder {
    var builder = T.single()
    builder.add(.halves, as: 2, claiming: (64, 64), B.auxiliary(name))
    builder.references.append(("auxl", 2, [1]))
    if isMultiplied { builder.references.append(("prem", 1, [2])) }
    return builder
  }

  @Test func alphaIsAPictureOfItsOwn() throws {
    let image = try T.decode(withAlpha().bytes)
    #expect(try T.probe(withAlpha().bytes).hasAlpha && image.bitmap.format == PixelFormat(.rgba8, alpha: .straight))
    #expect(image.bitmap.components(3, 3)[3] < 3 && image.bitmap.components(60, 3)[3] > 252)
    #expect(T.colors(of: image.bitmap, at: (60, 60)) == ["grey"])
  }

  @Test func coloursThatWereMultipliedAreDivided() throws {
    let image = try T.decode(withAlpha(isMultiplied: true).bytes)
    #expect(image.bitmap.format.alpha == .straight)
    #expect(T.colors(of: image.bitmap, at: (60, 60)) == ["grey"] && image.bitmap.components(3, 3)[3] < 3)
  }

  @Test(arguments: ["urn:com:apple:photo:2020:aux:hdrgainmap", "urn:mpeg:hevc:2015:auxid:2"])
  func gainMapsAndDepthMapsAreNoAlpha(name: String) throws {
    let bytes = withAlpha(name).bytes
    #expect(try !T.probe(bytes).hasAlpha && T.decode(bytes).bitmap == T.decode(T.single().bytes).bitmap)
  }

  @Test func onePictureMayBeTheAlphaOfSeveral() throws {
    var builder = withAlpha()
    builder.add(.orange, as: 3)
    builder.references[0].to = [3, 1]
    #expect(try T.probe(builder.bytes).hasAlpha)
  }

  @Test func alphaOfAnotherSizeIsMadeToFit() throws {
    var builder = T.grid()
    builder.add(.halves, as: 4, claiming: (64, 64), B.auxiliary(B.alphaName))
    builder.references.append(("auxl", 4, [1]))
    let bitmap = try T.decode(builder.bytes).bitmap
    #expect(bitmap.components(20, 20)[3] < 3 && bitmap.components(100, 100)[3] > 252)
  }

  @Test func alphaMayHaveMoreBitsThanTheColours() throws {
    var builder = T.single()
    builder.add(.quartersTenBits, as: 2, claiming: (64, 64), B.auxiliary(B.alphaName))
    builder.references.append(("auxl", 2, [1]))
    let bitmap = try T.decode(builder.bytes).bitmap
    let levels = try T.decode(T.single(.quartersTenBits).bytes) { $0.convertsColor = false }.bitmap
    #expect(bitmap.format == PixelFormat(.rgba8, alpha: .straight))
    #expect(T.colors(of: bitmap, at: (60, 60)) == ["grey"])
    #expect(Set([(3, 3), (60, 3), (3, 60), (60, 60)].map { bitmap.components($0.0, $0.1)[3] }).count > 1)
    #expect(levels.size == bitmap.size)
  }

  // MARK: Turns and crops

  @Test func cropsTurnsAndMirrorsApplyInTheirOrder() throws {
    let whole = try T.decode(T.single().bytes).bitmap
    // The left upper 40x20 pixels.
    let crop = B.crop(40, 1, 20, 1, -12, 1, -22, 1)
    let cropped = try T.decode(T.single(.quarters, crop).bytes)
    #expect(cropped.size == PixelSize(width: 40, height: 20))
    #expect(
      (0..<20).allSatisfy { y in (0..<40).allSatisfy { cropped.bitmap.components($0, y) == whole.components($0, y) } })
    #expect(try T.decode(T.single(.quarters, crop, B.turn(1)).bytes).bitmap == cropped.bitmap.oriented(.left))
    // The same crop of the picture that is turned first shows another part.
    let turned = try T.decode(T.single(.quarters, B.turn(1), crop).bytes)
    #expect(turned.size == PixelSize(width: 40, height: 20))
    #expect(T.colors(of: turned.bitmap, at: (3, 3), (36, 3)) == ["green", "grey"])
  }

  @Test func everyChainOfTurnsIsOneOrientation() throws {
    let picture = try Bitmap.noise(5, 3, .opaqueRGBA8)
    for first in ImageMetadata.Orientation.allCases {
      for second in ImageMetadata.Orientation.allCases {
        let twice = try picture.oriented(first).oriented(second)
        #expect(try picture.oriented(first.followed(by: second)) == twice, "\(first) \(second)")
      }
    }
  }

  @Test func anItemMayBeAnotherOneTurned() throws {
    var builder = T.single(.quarters, B.turn(1))
    builder.items.append(.init(number: 2, kind: "iden", data: [], properties: [B.size(64, 64), B.mirror(1)]))
    builder.references.append(("dimg", 2, [1]))
    builder.primary = 2
    let expected = try T.decode(T.single().bytes).bitmap.oriented(.left).oriented(.upMirrored)
    #expect(try T.decode(builder.bytes).bitmap == expected)
  }

  @Test func cropsThatMakeNoSenseAreIgnored() throws {
    let whole = try T.decode(T.single().bytes).bitmap
    for crop in [
      B.crop(-40, 1, 20, 1, 0, 1, 0, 1), B.crop(40, 0, 20, 1, 0, 1, 0, 1), B.crop(65, 1, 20, 1, 0, 1, 0, 1),
      B.crop(40, 1, 20, 1, 900, 1, 0, 1), B.crop(40, 1, 20, 1, Int(Int32.min), 1, 0, -1), B.box("clap", [0, 0, 0]),
    ] {
      #expect(try T.decode(T.single(.quarters, crop).bytes).bitmap == whole)
    }
  }

  @Test func theOrientationOfEXIFIsIgnored() throws {
    var builder = T.single()
    builder.add("Exif", B.number(0, 4) + Array(EXIF(orientation: .right).bytes), as: 2)
    builder.references.append(("cdsc", 2, [1]))
    for applies in [true, false] {
      let image = try T.decode(builder.bytes) { $0.appliesOrientation = applies }
      #expect(image.metadata.orientation == .up && image.metadata.exif.flatMap(EXIF.init)?.orientation == .up)
    }
    #expect(try T.probe(builder.bytes).exifBytes > 0)
  }

  @Test func packetsOfXMPAreRead() throws {
    var builder = T.single()
    builder.add("mime", Array("<x:xmpmeta/>".utf8), as: 2, contentType: "application/rdf+xml")
    builder.add("mime", Array("other".utf8), as: 3, contentType: "text/plain")
    builder.references += [("cdsc", 3, [1]), ("cdsc", 2, [1])]
    #expect(try T.decode(builder.bytes).metadata.xmp == Data("<x:xmpmeta/>".utf8))
    #expect(try T.coder.metadataBytes(of: ImageBytes(builder.bytes), work: WorkContext()) == 17)
  }

  @Test func theProfileIsHandedOut() throws {
    let bytes = T.single(.quarters, B.box("colr", Array("prof".utf8), [1, 2, 3])).bytes
    #expect(try T.decode(bytes) { $0.convertsColor = false }.metadata.iccProfile == Data([1, 2, 3]))
  }
}
