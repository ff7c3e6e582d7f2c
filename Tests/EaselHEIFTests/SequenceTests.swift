import EaselCore
import EaselTestPixels
import Testing

@testable import EaselHEIF

/// Files with pictures one after another.
struct SequenceTests {
  private typealias T = HEIFTesting
  private typealias B = HEIFBuilder

  private func frames(_ bytes: [UInt8]) throws -> any FrameSource { try #require(T.decode(bytes).frames) }

  @Test func aSequencePlays() throws {
    let bytes = B.sequence([.quarters, .orange, .quarters], delays: [100, 50, 200])
    #expect(T.coder.canDecode(prefix: Array(bytes.prefix(64))))
    let image = try T.decode(bytes)
    #expect(image.traits == [] && image.isAnimated)
    #expect(try image.bitmap == T.decode(T.single().bytes).bitmap)
    let frames = try #require(image.frames)
    #expect(frames.count == 3 && frames.loopCount == 0 && frames.canvasSize == PixelSize(width: 64, height: 64))
    #expect((0..<3).map(frames.duration) == [.milliseconds(100), .milliseconds(50), .milliseconds(200)])
    let orange = try T.decode(T.single(.orange).bytes).bitmap
    // Also backwards, and one twice.
    for index in [0, 1, 2, 0, 2, 1, 1, 0] {
      #expect(try frames.frame(at: index) == (index == 1 ? orange : image.bitmap), "\(index)")
    }
    let header = try T.probe(bytes)
    #expect(header.frameCount == 3 && header.storedSize == PixelSize(width: 64, height: 64) && !header.hasAlpha)
    #expect(header.storedDelays == [.milliseconds(100), .milliseconds(50), .milliseconds(200)])
    #expect(try T.coder.metadataBytes(of: ImageBytes(bytes), work: WorkContext()) != nil)
  }

  @Test func ofASequenceTheFirstFrameAloneIsAStillPicture() throws {
    let bytes = B.sequence([.quarters, .orange])
    let still = try T.decode(bytes) { $0.firstFrameOnly = true }
    #expect(try still.frames == nil && still.bitmap == T.decode(bytes).bitmap)
    // Of a time that is not stated, viewers use a tenth of a second.
    #expect(try frames(bytes).duration(at: 0) == .milliseconds(100))
    let alone = try T.decode(B.sequence([.quarters]))
    #expect(alone.frames == nil && !alone.isAnimated)
  }

  @Test func framesAreShownInTheOrderOfTheirTimes() throws {
    // The second picture comes first, and the third is only referred to.
    let offsets = [100, -100, Int(Int32.min)].map { $0 & 0xFFFF_FFFF }
    let bytes = B.sequence([.quarters, .orange, .orange], delays: [100, 100, 100], offsets: offsets)
    let frames = try frames(bytes)
    #expect(frames.count == 2)
    for index in [0, 1, 0] {
      let colors = T.colors(of: try frames.frame(at: index), at: (3, 3), (60, 3))
      #expect(colors == (index == 0 ? ["orange", "orange"] : ["red", "green"]), "\(index)")
    }
  }

  @Test func framesAreMadeSmallerAndCropped() throws {
    let bytes = B.sequence([.orange, .quarters], B.crop(32, 1, 32, 1, 0, 1, 0, 1))
    let image = try T.decode(bytes) { $0.thumbnailSize = PixelSize(width: 8, height: 8) }
    let frames = try #require(image.frames)
    #expect(image.traits == .thumbnail && frames.canvasSize == PixelSize(width: 8, height: 8))
    #expect(T.colors(of: try frames.frame(at: 1), at: (1, 1), (6, 1)) == ["red", "green"])
    #expect(T.colors(of: try frames.frame(at: 0), at: (1, 1), (6, 1)) == ["orange", "orange"])
  }

  @Test func eachFrameHasItsAlpha() throws {
    let frames = try frames(B.sequence([.quarters, .orange], alphas: [.halves, .halves]))
    for index in [1, 0] {
      let frame = try frames.frame(at: index)
      #expect(frame.components(10, 10)[3] < 3 && frame.components(50, 50)[3] > 252)
    }
    // A track of other length cannot be that of the frames.
    #expect(try T.decode(B.sequence([.quarters, .orange], alpha: .halves)).frames == nil)
  }

  @Test func framesAreCountedByTheLimits() throws {
    let bytes = B.sequence([.quarters, .orange])
    for limits in [Limits(frames: 1), Limits(totalPixels: 5000)] {
      let error = #expect(throws: ImageError.self) { try T.decode(bytes, work: WorkContext(limits: limits)) }
      #expect(error?.code == .limitExceeded)
    }
  }

  @Test func aFrameThatIsDamagedIsAnErrorAndTheOthersAreShown() throws {
    var bytes = B.sequence([.quarters, .orange, .quarters])
    let place = bytes.count - CodedPicture.quarters.slices.count - CodedPicture.orange.slices.count
    // The length of its unit is as long as all that follows.
    bytes.replaceSubrange(place..<place + 4, with: [0, 0, 0, 0])
    let frames = try frames(bytes)
    #expect(throws: ImageError.self) { try frames.frame(at: 1) }
    #expect(T.colors(of: try frames.frame(at: 0), at: (3, 3)) == ["red"])
    #expect(T.colors(of: try frames.frame(at: 2), at: (3, 3)) == ["red"])
  }

  @Test func theStillPictureGoesBeforeTheSequence() throws {
    let movie = B.sequence([.quarters])
    // Boxes of the sequence follow those of the still picture.
    var builder = T.single(.orange)
    builder.brands = "msf1\0\0\0\0mif1heichevc"
    let image = try T.decode(builder.bytes + movie.dropFirst(24))
    #expect(T.colors(of: image.bitmap, at: (3, 3)) == ["orange"])
  }

  @Test func alphaIsATrackOfItsOwn() throws {
    let bitmap = try T.decode(B.sequence([.quarters], alpha: .halves)).bitmap
    #expect(bitmap.components(10, 10)[3] < 3 && bitmap.components(50, 50)[3] > 252)
  }

  @Test func theEntryStatesCropsAndColours() throws {
    let bytes = B.sequence(
      [.quarters], B.crop(32, 1, 32, 1, 0, 1, 0, 1), B.codePoints(9, 16, 9, isFullRange: true))
    let image = try T.decode(bytes)
    #expect(image.size == PixelSize(width: 32, height: 32))
    #expect(try image.bitmap != T.decode(B.sequence([.quarters], B.crop(32, 1, 32, 1, 0, 1, 0, 1))).bitmap)
  }

  @Test func aSequenceOfAnotherKindIsNamed() throws {
    let error = #expect(throws: ImageError.self) { try T.decode(B.sequence([.quarters], kind: "avc1")) }
    #expect(error?.code == .unsupportedFormat && error?.message.contains("avc1") == true)
  }

  @Test func cutAtEveryByteItNeverPassesForWhole() throws {
    let bytes = B.sequence([.quarters], alpha: .halves)
    for count in 0..<bytes.count {
      let cut = Array(bytes[..<count])
      #expect(throws: ImageError.self, "\(count)") { try T.decode(cut) { $0.damaged = .refuse } }
      #expect(throws: ImageError.self, "\(count)") { try T.decode(cut) }
      guard let part = try? T.decode(cut, { $0.damaged = .show }) else { continue }
      #expect(part.traits.contains(.partial), "\(count)")
    }
  }

  @Test(arguments: [true, false]) func everyByteMayBeWrong(hasAlphas: Bool) throws {
    let bytes =
      hasAlphas
      ? B.sequence([.quarters, .orange], alphas: [.halves, .halves])
      : B.sequence([.quarters, .orange], alpha: .halves, delays: [1, 2], offsets: [0, 1])
    for damaged in WrongBytes(of: bytes) {
      let work = WorkContext(limits: Limits(framePixels: 1 << 16))
      let frames = (try? T.decode(damaged, work: work) { $0.damaged = .show })?.frames
      for index in 0..<min(3, frames?.count ?? 0) { _ = try? frames?.frame(at: index) }
      _ = try? T.coder.metadataBytes(of: ImageBytes(damaged), work: WorkContext())
    }
  }
}
