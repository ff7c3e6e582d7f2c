import EaselCore
import EaselTestCorpus
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselAVIF

struct AnimationTests {
  private typealias T = AVIFTesting

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
    #expect(header.frameCount == 4 && header.storedLoopCount == nil && header.storedDelays == frames.durations)
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
