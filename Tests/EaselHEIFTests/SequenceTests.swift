import EaselCore
import EaselTestPixels
import Testing

@testable import EaselHEIF

/// Files with pictures one after another.
struct SequenceTests {
  private typealias T = HEIFTesting
  private typealias B = HEIFBuilder

  @Test func withoutAStillPictureTheFirstOneCounts() throws {
    let bytes = B.sequence([.quarters, .orange])
    #expect(T.coder.canDecode(prefix: Array(bytes.prefix(64))))
    let image = try T.decode(bytes)
    #expect(image.frames == nil && image.traits == [])
    #expect(try image.bitmap == T.decode(T.single().bytes).bitmap)
    let header = try T.probe(bytes)
    #expect(header.frameCount == 1 && header.storedSize == PixelSize(width: 64, height: 64) && !header.hasAlpha)
    #expect(try T.coder.metadataBytes(of: ImageBytes(bytes), work: WorkContext()) != nil)
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

  @Test func everyByteMayBeWrong() throws {
    for damaged in WrongBytes(of: B.sequence([.quarters, .orange], alpha: .halves)) {
      _ = try? T.decode(damaged, work: WorkContext(limits: Limits(framePixels: 1 << 16))) { $0.damaged = .show }
      _ = try? T.coder.metadataBytes(of: ImageBytes(damaged), work: WorkContext())
    }
  }
}
