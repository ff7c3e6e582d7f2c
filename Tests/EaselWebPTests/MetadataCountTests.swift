import EaselCore
import EaselTestPixels
import Testing

@testable import EaselWebP

/// The bytes that belong neither to the picture nor to its colour profile.
struct MetadataCountTests {
  private func count(_ bytes: [UInt8], work: WorkContext = WorkContext()) throws -> Int? {
    try MetadataCount.of(bytes, by: WebPCoder(), work: work)
  }

  private func pixels(isLossless: Bool = true) throws -> [UInt8] {
    try WebPTesting.pixels(Bitmap(4, 4, .white), isLossless: isLossless)
  }

  /// The count for a still picture with VP8X and chunks before and after its pixels.
  private func count(
    with features: WebPFile.Features = [], _ before: [UInt8] = [], isLossless: Bool = true, after: [UInt8] = []
  ) throws -> Int? {
    let pixels = try pixels(isLossless: isLossless)
    return try count(WebPTesting.riff(WebPTesting.extended(4, 4, features) + before + pixels + after))
  }

  private func chunk(_ name: StaticString, _ length: Int) -> [UInt8] {
    WebPTesting.chunk(name, [UInt8](repeating: 7, count: length))
  }

  private func moving(_ inFrame: [UInt8] = [], after: [UInt8] = []) throws -> [UInt8] {
    let frame = try WebPTesting.frame(pixels() + inFrame)
    return WebPTesting.riff(
      WebPTesting.extended(4, 4, .animation) + WebPTesting.animation() + frame + frame + after)
  }

  @Test(arguments: [false, true])
  func theChunksOfAPictureAreNoMetadata(isLossless: Bool) throws {
    #expect(try count(WebPTesting.riff(pixels(isLossless: isLossless))) == 0)
    #expect(try count(isLossless: isLossless) == 0)
    #expect(try count(with: .profile, chunk("ICCP", 1001), isLossless: isLossless) == 0)
    #expect(try count(moving()) == 0)
    let soft = try WebPTesting.encode(Image(WebPTesting.softAlpha(20, 20)))
    #expect(try count(soft.withUnsafeBytes { Array($0) }) == 0)
  }

  @Test func everyOtherChunkIsMetadata() throws {
    for name in ["EXIF", "XMP ", "note", "C2PA"] as [StaticString] {
      #expect(try count(after: chunk(name, 6)) == 14)
      #expect(try count(with: [.exif, .xmp], chunk(name, 7), after: chunk(name, 0)) == 24)
      #expect(try count(WebPTesting.riff(pixels() + chunk(name, 5))) == 14)
      // In each of two frames, and after them.
      #expect(try count(moving(chunk(name, 3), after: chunk(name, 8))) == 40)
    }
  }

  @Test func bytesWhereNoReaderLooksAreMetadata() throws {
    #expect(try count(with: [], chunk("ICCP", 90)) == 98)
    #expect(try count(with: .profile, chunk("ICCP", 90) + chunk("ICCP", 90)) == 98)
    #expect(try count(with: [], chunk("ANIM", 6)) == 14)
    #expect(try count(with: [], chunk("ANMF", 16)) == 24)
    // Alpha beside lossless pixels, after the pixels, or twice.
    #expect(try count(with: .alpha, chunk("ALPH", 11)) == 20)
    #expect(try count(with: .alpha, chunk("ALPH", 11), isLossless: false) == 0)
    #expect(try count(with: .alpha, chunk("ALPH", 11) + chunk("ALPH", 2), isLossless: false) == 10)
    #expect(try count(with: .alpha, isLossless: false, after: chunk("ALPH", 11)) == 20)
    #expect(try count(after: pixels()) == pixels().count)
    #expect(try count(after: [1, 2, 3, 4, 5]) == 5)
    #expect(try count(moving([1, 2])) == 4)
    #expect(try count(moving(pixels())) == 2 * pixels().count)
    let longer = [UInt8](repeating: 9, count: 20)
    let loops = WebPTesting.chunk("ANIM", longer)
    let frames = try WebPTesting.extended(4, 4, .animation) + loops + WebPTesting.frame(pixels())
    #expect(try count(WebPTesting.riff(frames)) == 14)
    #expect(try count(moving() + [0]) == 1)
    #expect(try count(moving() + moving()) == moving().count)
  }

  @Test func whatIsNotUnderstoodIsNotCounted() throws {
    #expect(try count(WebPTesting.riff(chunk("ALPH", 4) + pixels())) == nil)
    #expect(try count(WebPTesting.riff(chunk("VP8X", 11) + pixels())) == nil)
    #expect(try count(WebPTesting.riff(WebPTesting.extended(4, 4, []))) == nil)
    #expect(try count(moving(after: pixels())) == nil)
    let noLoops = try WebPTesting.riff(WebPTesting.extended(4, 4, .animation) + WebPTesting.frame(pixels()))
    #expect(try count(noLoops) == nil)
    let empty = WebPTesting.extended(4, 4, .animation) + WebPTesting.animation() + WebPTesting.frame([])
    #expect(try count(WebPTesting.riff(empty)) == nil)
    // A chunk that claims more than its container has.
    let tooLong = Array("note".utf8) + UInt32(9).littleEndianBytes + [1, 2]
    #expect(try count(after: tooLong) == nil)
    #expect(try count(moving(tooLong)) == nil)
    #expect(try count(Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP".utf8)) == nil)
  }
}
