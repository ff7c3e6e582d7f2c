import EaselCore
import EaselPixels
import EaselTestCorpus
import EaselTestPixels
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselAVIF

struct AnimationTests {
  private typealias T = AVIFTesting

  @Test(arguments: [0, 1, 2, 7])
  func framesDelaysAndPlaysComeBack(plays: Int) throws {
    let frames = try T.moving(.rgba8, plays: plays)
    let bytes = try T.encode(frames.image, T.lossless)
    let header = try T.probe(bytes)
    #expect(header.frameCount == 4 && header.loopCount == plays && header.storedLoopCount == nil)
    #expect(header.storedDelays == frames.durations)
    let read = try #require(try T.decode(bytes).frames)
    #expect(read.loopCount == plays)
    for index in 0..<4 { #expect(try read.frame(at: index) == frames.bitmaps[index], "frame \(index)") }
    #expect((0..<4).map(read.duration(at:)) == frames.durations)
    // Out of order.
    for index in [2, 0, 3, 1] { #expect(try read.frame(at: index) == frames.bitmaps[index], "frame \(index)") }
  }

  @Test func framesKeepTheirContract() async throws {
    let frames = try #require(try T.decode(T.encode(T.moving().image)).frames)
    #expect(await FrameSourceContract(frames).check().isEmpty)
  }

  @Test func equalSequencesAreEqualFilesWhateverTheTime() throws {
    let bytes = try T.encode(T.moving().image)
    let file = try bytes.array
    for name in ["mvhd", "tkhd", "mdhd"] {
      let place = try #require(file.firstRange(of: Array(name.utf8))).upperBound
      #expect(file[place + 4..<place + 20].allSatisfy { $0 == 0 }, "\(name)")
    }
    #expect(try T.encode(T.moving().image).array == file)
    #expect(try T.coder.metadataBytes(of: bytes, work: WorkContext()) == 0)
  }

  @Test(arguments: [true, false], [true, false])
  func theLightOfASequenceIsWrittenToo(hasDisplay: Bool, hasAlpha: Bool) throws {
    let frames = try T.moving(hasAlpha ? .rgba8 : .opaqueRGBA8, plays: 3)
    var image = frames.image
    image.metadata.xmp = Data("<x:xmpmeta/>".utf8)
    var color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    image.metadata.color = color
    func written(_ image: Image) throws -> ImageBytes {
      try T.encode(image) {
        $0.lossless = true
        $0.keepsMetadata = true
      }
    }
    let plain = try written(image)
    color.contentLight = ColorDescription.ContentLight(greatest: 900, greatestAverage: 300)
    if hasDisplay {
      color.masteringDisplay = ColorDescription.MasteringDisplay(
        red: SIMD2(0.708, 0.292), green: SIMD2(0.17, 0.797), blue: SIMD2(0.131, 0.046), white: SIMD2(0.3127, 0.329),
        leastLuminance: 0.005, greatestLuminance: 1000)
    }
    image.metadata.color = color
    let bytes = try written(image)
    // Once with the picture, where each property is linked by a byte, and once with the track.
    #expect(bytes.count == plain.count + (hasDisplay ? 12 + 32 : 12) * 2 + (hasDisplay ? 2 : 1))
    let read = try T.decode(bytes) { $0.convertsColor = false }
    #expect(read.metadata.color == color && read.metadata.xmp == image.metadata.xmp)
    let header = try T.probe(bytes)
    #expect(header.frameCount == 4 && header.loopCount == 3 && header.storedDelays == frames.durations)
    let (some, others) = (
      try #require(read.frames), try #require(try T.decode(plain) { $0.convertsColor = false }.frames)
    )
    for index in 0..<4 { #expect(try some.frame(at: index) == others.frame(at: index), "frame \(index)") }
    // The track says it by itself: a file whose items say nothing has the same light.
    let first = try #require(try bytes.array.firstRange(of: Array("clli".utf8))).lowerBound
    var silent = try bytes.array
    silent.replaceSubrange(first..<first + 4, with: Array("skip".utf8))
    #expect(
      try T.decode(ImageBytes(silent)) { $0.convertsColor = false }.metadata.color?.contentLight == color.contentLight)
    #expect(try T.coder.metadataBytes(of: T.encode(image), work: WorkContext()) == 0)
  }

  @Test func metadataOfASequenceComesBack() throws {
    var image = try T.moving().image
    image.metadata.xmp = Data("<x:xmpmeta/>".utf8)
    image.metadata.orientation = .right
    let bytes = try T.encode(image) { $0.keepsMetadata = true }
    let read = try T.decode(bytes) { $0.appliesOrientation = false }
    #expect(read.metadata.xmp == image.metadata.xmp && read.metadata.orientation == .right)
    #expect(try T.decode(bytes).size == PixelSize(width: 18, height: 24))
    #expect(try T.decode(bytes).frames?.canvasSize == PixelSize(width: 18, height: 24))
  }

  @Test func aLaterFrameWithAlphaIsKept() throws {
    var frames = try T.moving()
    frames.bitmaps[3] = try Bitmap.noise(24, 18, .rgba8)
    let read = try #require(try T.decode(T.encode(frames.image, T.lossless)).frames)
    #expect(try read.frame(at: 3) == frames.bitmaps[3])
    #expect(try read.frame(at: 0) == frames.bitmaps[0].converted(to: .rgba8))
  }

  @Test func greyFramesComeBack() throws {
    let frames = try T.moving(.gray8)
    let read = try #require(try T.decode(T.encode(frames.image, T.lossless)).frames)
    for index in 0..<4 { #expect(try read.frame(at: index) == frames.bitmaps[index].converted(to: .opaqueRGBA8)) }
  }

  @Test func shortAndUnevenTimesKeepTheirSum() throws {
    var frames = try T.moving()
    frames.durations = [.microseconds(16_667), .microseconds(16_667), .microseconds(16_666), .zero]
    let delays = try T.probe(T.encode(frames.image)).storedDelays
    #expect(delays == [17, 16, 17, 1].map { .milliseconds($0) })
  }

  @Test func smallFramesAreReducedFromLargeOnes() throws {
    let frames = try T.moving()
    let bytes = try T.encode(frames.image, T.lossless)
    let image = try T.decode(bytes) { $0.thumbnailSize = PixelSize(width: 8, height: 8) }
    let small = try #require(image.frames)
    #expect(small.canvasSize == PixelSize(width: 8, height: 6) && image.traits == .thumbnail)
    let expected = try frames.bitmaps[2].resized(to: PixelSize(width: 8, height: 6))
    #expect(try small.frame(at: 2).largestDifference(from: expected) <= 1)
  }

  @Test func theFirstFrameAlone() throws {
    let frames = try T.moving()
    let bytes = try T.encode(frames.image, T.lossless)
    let image = try T.decode(bytes) { $0.firstFrameOnly = true }
    #expect(image.frames == nil && image.bitmap == frames.bitmaps[0])
    #expect(try T.probe(T.encode(frames.image) { $0.firstFrameOnly = true }).frameCount == 1)
  }

  @Test func limitsBindFrames() throws {
    let bytes = try T.encode(T.moving().image)
    var limits = Limits()
    limits.frames = 3
    var error = #expect(throws: ImageError.self) { try T.decode(bytes, work: WorkContext(limits: limits)) }
    #expect(error?.code == .limitExceeded && error?.message.contains("claims 4 frames") == true)
    limits = Limits()
    limits.totalPixels = 24 * 18 * 3
    error = #expect(throws: ImageError.self) { try T.decode(bytes, work: WorkContext(limits: limits)) }
    #expect(error?.code == .limitExceeded)
    #expect(try T.coder.probe(bytes, work: WorkContext(limits: limits)).frameCount == 4)
    #expect(try T.decode(bytes, work: WorkContext(limits: limits)) { $0.firstFrameOnly = true }.frames == nil)
  }

  @Test(.enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
  func playsAreThoseOfBrowsers() throws {
    let corpus = try #require(Corpus.otherFormats)
    let plays = [
      "glide--dl_world_anim_avif.avif": 0, "libavif--colors-animated-8bpc.avif": 1,
      "libavif--colors-animated-8bpc-audio.avif": 1, "serenity--loop_forever.avif": 0, "pillow--star.avifs": 0,
      "link-u--star-10bpc.avifs": 1,
    ]
    for (name, count) in plays {
      let entry = try #require(corpus.entries.first { $0.path.hasSuffix(name) })
      #expect(try T.probe(corpus.bytes(of: entry)).loopCount == count, "\(name)")
    }
  }
}
