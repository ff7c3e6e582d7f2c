import CEaselColorFixtures
import EaselColor
import EaselCore
import EaselPixels
import EaselTestCorpus
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselPNG

/// Colours by code points: cICP, mDCV and cLLI.
struct CodePointTests {
  private let coder = PNGCoder()

  private static let display = ColorDescription.MasteringDisplay(
    red: SIMD2(0.708, 0.292), green: SIMD2(0.17, 0.797), blue: SIMD2(0.131, 0.046), white: SIMD2(0.3127, 0.329),
    leastLuminance: 0.005, greatestLuminance: 4000)
  private static let light = ColorDescription.ContentLight(greatest: 1200, greatestAverage: 180)

  private func file(_ bitmap: Bitmap, _ color: ColorDescription?, profile: Data? = nil) throws -> ImageBytes {
    var metadata = ImageMetadata(storedSize: bitmap.size, iccProfile: profile)
    metadata.color = color
    return try coder.encode(
      Image(bitmap, metadata: metadata), as: .png, options: EncodeOptions(), work: WorkContext())
  }

  private func read(_ file: ImageBytes, _ options: DecodeOptions = DecodeOptions()) throws -> Image {
    try coder.decode(file, options: options, work: WorkContext())
  }

  @Test(arguments: ColorReference.all.filter { $0.color.coding.isHighRange })
  func picturesOfHighRangeAreShownAsTheSpecificationsHaveIt(reference: ColorReference) throws {
    let image = try read(file(reference.stored, reference.color))
    #expect(image.bitmap.format == .opaqueRGBA8)
    #expect(image.metadata.color == nil)
    let difference = reference.difference(of: image.bitmap)
    #expect(difference.mean < 1 && difference.largest < 1.1, "\(difference)")
  }

  @Test(arguments: ColorReference.all.filter { !$0.color.coding.isHighRange })
  func otherCurvesAndPrimariesBecomeSRGB(reference: ColorReference) throws {
    let bytes = try file(reference.stored, reference.color)
    // Eight bits at the input are a coarse step where the curve is steep.
    #expect(reference.difference(of: try read(bytes).bitmap).mean < 1)
    let wide = try read(bytes, DecodeOptions(keeps16Bits: true))
    #expect(wide.bitmap.format.layout == .rgba16)
    #expect(reference.difference(of: wide.bitmap).largest < 0.1)
  }

  @Test func aPictureOfHighRangeKeepsItWhenAsked() throws {
    let color = ColorDescription(
      coding: ColorDescription.Coding(primaries: 9, transfer: 16), masteringDisplay: Self.display,
      contentLight: Self.light)
    let stored = try Bitmap.noise(20, 12, .rgba16)
    let image = try read(file(stored, color), DecodeOptions(keepsHighRange: true))
    #expect(image.bitmap == stored)
    #expect(image.metadata.color == color)
    let again = try read(
      coder.encode(image, as: .png, options: EncodeOptions(), work: WorkContext()), DecodeOptions(keepsHighRange: true))
    #expect(again.bitmap == stored)
    #expect(again.metadata.color == color)
  }

  @Test func eightBitsOfHighRangeBecomeSixteen() throws {
    let color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 18))
    let stored = try Bitmap.noise(8, 8, .rgba8)
    let image = try read(file(stored, color), DecodeOptions(keepsHighRange: true))
    #expect(try image.bitmap == stored.converted(to: .rgba16))
  }

  @Test func picturesOfUsualRangeDoNotFollowTheWish() throws {
    let color = ColorDescription(coding: ColorDescription.Coding(primaries: 12, transfer: 13))
    let stored = try Bitmap.noise(8, 8, .rgba16)
    let bytes = try file(stored, color)
    #expect(try read(bytes, DecodeOptions(keepsHighRange: true)).bitmap == read(bytes).bitmap)
    #expect(try read(bytes).metadata.color == nil)
  }

  @Test func rawColorsStayWithTheirCodePoints() throws {
    let color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16), contentLight: Self.light)
    let stored = try Bitmap.noise(8, 8, .rgba8)
    let image = try read(file(stored, color), DecodeOptions(convertsColor: false))
    #expect(image.bitmap == stored)
    #expect(image.metadata.color == color)
  }

  @Test func displayP3ByCodePointsIsThatOfItsProfile() throws {
    let stored = try Bitmap.noise(30, 30, .rgba16)
    let byCode = try read(
      file(stored, ColorDescription(coding: ColorDescription.Coding(primaries: 12, transfer: 4))),
      DecodeOptions(keeps16Bits: true))
    let profile = try Self.profile()
    let byProfile = try stored.converted(from: .icc(profile))
    for y in 0..<30 {
      for x in 0..<30 {
        for (one, other) in zip(byCode.bitmap.components(x, y), byProfile.components(x, y)) {
          #expect(abs(one - other) <= 2 * 257)
        }
      }
    }
  }

  @Test func aProfileGoesFirstExceptInHighRange() throws {
    let stored = try Bitmap.noise(12, 12, .rgba16)
    let profile = try Self.profile()
    let usual = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 14))
    let options = DecodeOptions(keeps16Bits: true)
    #expect(try read(file(stored, usual, profile: profile), options).bitmap == stored.converted(from: .icc(profile)))
    let high = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    #expect(try read(file(stored, high, profile: profile), options).bitmap == stored.converted(from: high))
    let broken = Data(repeating: 7, count: 200)
    #expect(try read(file(stored, usual, profile: broken), options).bitmap == stored.converted(from: usual))
  }

  private static func profile() throws -> Data {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = easel_make_icc_profile(
      [0.680, 0.320, 0.265, 0.690, 0.150, 0.060], 2.2, &bytes, bytes.count)
    return Data(bytes[..<count])
  }

  @Test func theHeaderHasTheDescription() throws {
    let color = ColorDescription(
      coding: ColorDescription.Coding(primaries: 9, transfer: 18), masteringDisplay: Self.display,
      contentLight: Self.light)
    let header = try coder.probe(file(Bitmap.noise(3, 3, .rgba16), color), work: WorkContext())
    #expect(header.color == color)
    #expect(try coder.probe(file(Bitmap.noise(3, 3, .rgba8), nil), work: WorkContext()).color == nil)
  }

  @Test func aThumbnailIsMadeBeforeItIsToneMapped() throws {
    let color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    let stored = try Bitmap.noise(40, 40, .rgba16)
    let image = try read(file(stored, color), DecodeOptions(thumbnailSize: PixelSize(width: 10, height: 10)))
    let small = try stored.resized(to: PixelSize(width: 10, height: 10))
    #expect(image.bitmap.format == .rgba8)
    let expected = try small.converted(from: color, keeps16Bits: false)
    for y in 0..<10 {
      for x in 0..<10 {
        for (one, other) in zip(image.bitmap.components(x, y), expected.components(x, y)) {
          #expect(abs(one - other) <= 1)
        }
      }
    }
  }

  @Test func framesOfAMovingPictureAreToneMappedToo() throws {
    let color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    let frames = try (1...3).map { try Bitmap.noise(6, 4, .rgba16, seed: $0) }
    var image = Image(frames[0])
    image.metadata.color = color
    image.frames = try FrameArray(frames, each: .milliseconds(100))
    let bytes = try coder.encode(image, as: .png, options: EncodeOptions(), work: WorkContext())
    let read = try read(bytes)
    let kept = try self.read(bytes, DecodeOptions(keepsHighRange: true))
    for (index, frame) in frames.enumerated() {
      #expect(try read.frames?.frame(at: index) == frame.converted(from: color, keeps16Bits: false))
      #expect(try kept.frames?.frame(at: index) == frame)
    }
  }

  // MARK: Damaged and unusual chunks

  private func header(adding extra: [(kind: PNGChunk.Kind, content: [UInt8])]) throws -> ImageHeader {
    var chunks = try HandmadePNG.still(4, 4)
    chunks.insert(contentsOf: extra, at: 1)
    return try coder.probe(ImageBytes(HandmadePNG.file(chunks)), work: WorkContext())
  }

  @Test(arguments: [[], [9, 16, 0], [9, 16, 9, 1], [9, 16, 0, 2], [9, 16, 0, 1, 0]] as [[UInt8]])
  func aMalformedCodingIsIgnored(content: [UInt8]) throws {
    #expect(try header(adding: [(.coding, content)]).color == nil)
  }

  @Test func numbersOfOtherLengthsAreIgnored() throws {
    let coding: (PNGChunk.Kind, [UInt8]) = (.coding, [9, 16, 0, 1])
    for count in [0, 7, 9, 23, 25, 4000] {
      let color = try header(adding: [coding, (.display, Array(repeating: 1, count: count))]).color
      #expect(color?.masteringDisplay == nil && color?.coding.transfer == 16)
      let other = try header(adding: [coding, (.light, Array(repeating: 1, count: count))]).color
      #expect(other?.contentLight == nil && other?.coding.transfer == 16)
    }
  }

  @Test func theFirstCodingCounts() throws {
    let color = try header(adding: [(.coding, [9, 16, 0, 1]), (.coding, [9, 18, 0, 1])]).color
    #expect(color?.coding == ColorDescription.Coding(primaries: 9, transfer: 16))
  }

  @Test func theGreatestNumbersAreRead() throws {
    let full = [UInt8](repeating: 255, count: 24)
    let color = try header(adding: [(.coding, [255, 255, 0, 0]), (.display, full), (.light, Array(full.prefix(8)))])
      .color
    #expect(color?.coding == ColorDescription.Coding(primaries: 255, transfer: 255, isFullRange: false))
    #expect(color?.masteringDisplay?.greatestLuminance == 429_496.7295)
    #expect(color?.contentLight == ColorDescription.ContentLight(greatest: 429_497, greatestAverage: 429_497))
  }

  @Test func numbersThatNoChunkHoldsAreClipped() throws {
    var color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16), contentLight: Self.light)
    color.contentLight?.greatest = .max
    color.contentLight?.greatestAverage = -5
    color.masteringDisplay = Self.display
    color.masteringDisplay?.red = SIMD2(.nan, .infinity)
    color.masteringDisplay?.greatestLuminance = 1e300
    let header = try coder.probe(file(Bitmap.noise(3, 3, .rgba16), color), work: WorkContext())
    #expect(header.color?.contentLight == ColorDescription.ContentLight(greatest: 429_497, greatestAverage: 0))
    #expect(header.color?.masteringDisplay?.red == SIMD2(0, 1.3107))
    color.coding.primaries = 256
    #expect(try coder.probe(file(Bitmap.noise(3, 3, .rgba16), color), work: WorkContext()).color == nil)
  }
}

@Suite(.enabled(if: Corpus.shared != nil, "\(Corpus.skipReason)"))
struct CodePointCorpusTests {
  @Test func pqOfTheCorpusIsToneMapped() throws {
    let corpus = try #require(Corpus.shared)
    let bytes = try ImageBytes(contentsOfFile: corpus.directory + "/png/icc/image-png--cicp_pq.png")
    let header = try PNGCoder().probe(bytes, work: WorkContext())
    #expect(header.color?.coding == ColorDescription.Coding(primaries: 9, transfer: 16))
    let raw = try PNGCoder().decode(bytes, options: DecodeOptions(convertsColor: false), work: WorkContext())
    let shown = try PNGCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())
    #expect(shown.bitmap != raw.bitmap && shown.metadata.color == nil && raw.metadata.color == header.color)
  }
}
