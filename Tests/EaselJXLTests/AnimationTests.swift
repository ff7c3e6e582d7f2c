import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselJXL

struct AnimationTests {
  private typealias T = JXLTesting

  @Test(arguments: [0, 1, 2, 7])
  func framesDelaysAndPlaysComeBack(plays: Int) throws {
    let frames = try T.moving(.rgba8, plays: plays)
    let bytes = try T.encode(frames.image, T.lossless)
    let header = try T.probe(bytes)
    #expect(header.frameCount == 4 && header.loopCount == plays && header.storedLoopCount == plays)
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
    #expect(try small.frame(at: 2) == frames.bitmaps[2].resized(to: PixelSize(width: 8, height: 6)))
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
}
