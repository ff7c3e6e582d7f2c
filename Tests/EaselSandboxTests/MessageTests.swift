import EaselCore
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselSandbox

/// Messages come out as they went in, and damaged ones are refused.
struct MessageTests {
  private var header: ImageHeader {
    var header = ImageHeader(
      format: .avif, storedSize: PixelSize(width: 4000, height: 3000), orientation: .left, frameCount: 3, loopCount: 2,
      hasAlpha: true, bitDepth: 12)
    header.storedLoopCount = 7
    header.storedDelays = [.milliseconds(40), .zero, .seconds(3)]
    header.color = color
    header.gainMap = GainMap.Header(size: PixelSize(width: 10, height: 9), byteCount: 812, formula: formula)
    header.notes = ["a note", "another ä"]
    (header.iccProfileBytes, header.exifBytes, header.decoderBytes) = (500, 600, 700)
    header.effort = .milliseconds(800)
    return header
  }

  private var color: ColorDescription {
    ColorDescription(
      coding: ColorDescription.Coding(primaries: 9, transfer: 16, matrix: 9, isFullRange: false),
      masteringDisplay: ColorDescription.MasteringDisplay(
        red: SIMD2(0.7, 0.3), green: SIMD2(0.2, 0.8), blue: SIMD2(0.1, 0.05), white: SIMD2(0.31, 0.33),
        leastLuminance: 0.001, greatestLuminance: 1000),
      contentLight: ColorDescription.ContentLight(greatest: 4_000_000, greatestAverage: 400))
  }

  private var formula: GainMap.Formula {
    GainMap.Formula(
      leastGain: SIMD3(0, -1, 0.5), greatestGain: SIMD3(2, 3, 4), gamma: SIMD3(1, 2, 0.5), alternateHeadroom: 3,
      usesBaseColors: false)
  }

  private func picture() throws -> StoredImage {
    var image = Image(try Bitmap(size: PixelSize(width: 8, height: 6), format: .rgba16), format: .png)
    image.metadata = ImageMetadata(
      storedSize: PixelSize(width: 80, height: 60), orientation: .right, iccProfile: Data([1, 2, 3]),
      exif: Data([4]), xmp: Data("<x/>".utf8), density: ImageMetadata.Density(horizontal: 72, vertical: 96.5))
    image.metadata.color = color
    image.metadata.notes = ["ignored"]
    image.traits = [.partial, .thumbnail]
    let map = GainMap(try Bitmap(size: PixelSize(width: 2, height: 2), format: .gray8), formula: formula)
    let bitmap = StoredBitmap(image.bitmap, offset: 0)
    var stored = StoredImage(
      image, bitmap: bitmap, gainMap: StoredGainMap(map, bitmap: StoredBitmap(map.bitmap, offset: 4096)))
    stored.gainMap?.fullSize = PixelSize(width: 20, height: 20)
    stored.frames = StoredFrameList(
      FakeFrameSource(durations: [.milliseconds(10), .milliseconds(20)], canvasSize: image.size))
    return stored
  }

  private func answers() throws -> [ChildReply] {
    [
      .header(header), .picture(try picture()),
      .frame(StoredBitmap(try Bitmap(size: PixelSize(width: 3, height: 5), format: .gray8), offset: 8192)),
      .metadataBytes(nil), .metadataBytes(77), .repacked(nil), .nothing,
      .repacked(StoredFile(offset: 4096, byteCount: 700)),
      .failure(StoredFailure(ImageError(.limitExceeded, "too much"))),
      .failure(StoredFailure(ImageError.exhausted("no memory"))),
    ]
  }

  @Test func answersComeOutAsTheyWentIn() throws {
    for answer in try answers() {
      let again = try ChildReply(answer.bytes)
      #expect(again.bytes == answer.bytes)
      #expect("\(again)" == "\(answer)")
    }
    guard case .header(let header) = try ChildReply(ChildReply.header(header).bytes) else { return }
    #expect(header == self.header)
  }

  @Test func questionsComeOutAsTheyWentIn() throws {
    var options = DecodeOptions(
      thumbnailSize: PixelSize(width: 320, height: 0), preservesAspectRatio: false, scaleDownLimitBytes: 1 << 20,
      appliesOrientation: false, convertsColor: false, keeps16Bits: true, keepsHighRange: true, damaged: .show,
      firstFrameOnly: true, typeHint: .webp, fidelity: .exact)
    options.leastSize = PixelSize(width: 10, height: 11)
    for question in [
      .header, .picture(options), .picture(DecodeOptions()), .picture(DecodeOptions(damaged: .refuse)),
      .frame(12), .metadataBytes, .repacked(.jpeg, withMetadata: true), .preview(700, options), .finish(900),
    ]
      as [ChildRequest]
    {
      var writer = MessageWriter()
      question.write(to: &writer)
      var reader = MessageReader(writer.bytes)
      #expect(try ChildRequest(&reader) == question)
      #expect(reader.left == 0)
    }
  }

  @Test func theOpeningCarriesTheLimits() throws {
    var limits = Limits(
      downloadBytes: 1, side: 2, framePixels: 3, progressiveJPEGPixels: 4, frames: 5, totalPixels: 6,
      decodeTime: .milliseconds(7), metadataBytes: 8)
    limits.blocks = 9
    var writer = MessageWriter()
    ChildOpening(coder: "avif", byteCount: 12, limits: limits).write(to: &writer)
    var reader = MessageReader(writer.bytes)
    let opening = try ChildOpening(&reader)
    #expect(opening.coder == "avif")
    #expect(opening.byteCount == 12)
    #expect(opening.limits == limits)
  }

  @Test func cutAnswersAreRefused() throws {
    for answer in try answers() {
      let bytes = answer.bytes
      for length in 0..<bytes.count {
        #expect(throws: MessageReader.Malformed.self) { try ChildReply(Array(bytes[..<length])) }
      }
      #expect(throws: MessageReader.Malformed.self) { try ChildReply(bytes + [0]) }
    }
  }

  /// Whatever is read from changed bytes, all numbers in it can be used without overflow.
  @Test func changedAnswersAreRefusedOrHarmless() throws {
    var random = SeededRandom(seed: 11)
    for answer in try answers() {
      for _ in 0..<2000 {
        var bytes = answer.bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
        }
        guard let changed = try? ChildReply(bytes) else { continue }
        check(changed)
      }
    }
  }

  private func check(_ answer: ChildReply) {
    switch answer {
    case .header(let header): #expect(header.storedSize.isPlausible)
    case .picture(let picture):
      #expect(picture.bitmap.byteCount >= picture.bitmap.size.area)
      #expect(picture.gainMap?.formula.isValid != false)
      #expect(picture.frames?.durations.allSatisfy { $0 >= .zero } != false)
      #expect(picture.traits.isSubset(of: [.partial, .thumbnail]))
    case .frame(let bitmap): #expect(bitmap.byteCount >= 0 && bitmap.offset >= 0)
    case .metadataBytes(let count): #expect(count.map { $0 >= 0 } != false)
    case .repacked(let file): #expect(file.map { $0.byteCount > 0 && $0.offset >= 0 } != false)
    case .failure(let failure): #expect(failure.message.utf8.count <= 3000)
    case .nothing: break
    }
  }

  @Test func onlyErrorsOfDecodersComeThrough() throws {
    let odd = ImageError(.forbiddenAddress, "the child cannot know")
    #expect(StoredFailure(odd).code == .badImageData)
    var writer = MessageWriter()
    writer.add(4)
    writer.add(ImageError.Code.forbiddenAddress.rawValue)
    writer.add("x")
    writer.add(false)
    #expect(throws: MessageReader.Malformed.self) { try ChildReply(writer.bytes) }
  }
}
