import EaselCore
import EaselTestPixels
import Testing

@testable import EaselPNG

/// The bytes that belong neither to the picture nor to its colour profile.
struct MetadataCountTests {
  private typealias Chunk = (kind: PNGChunk.Kind, content: [UInt8])

  private func count(_ bytes: [UInt8], work: WorkContext = WorkContext()) throws -> Int? {
    try MetadataCount.of(bytes, by: PNGCoder(), work: work)
  }

  /// The count for a still picture with chunks before its pixels, or after them.
  private func count(with chunks: [Chunk], afterPixels: Bool = false) throws -> Int? {
    let still = try HandmadePNG.still(4, 3)
    let place = try #require(still.firstIndex { $0.kind == .data }) + (afterPixels ? 1 : 0)
    return try count(HandmadePNG.file(still[..<place] + chunks + still[place...]))
  }

  private func chunk(_ name: StaticString, _ length: Int) -> Chunk {
    (PNGChunk.Kind(name), [UInt8](repeating: 7, count: length))
  }

  @Test func theChunksOfAPictureAreNoMetadata() throws {
    let lengths: [(StaticString, Int)] = [
      ("PLTE", 9), ("tRNS", 6), ("gAMA", 4), ("cHRM", 32), ("sRGB", 1), ("iCCP", 5000), ("sBIT", 3), ("bKGD", 6),
      ("pHYs", 9), ("hIST", 6), ("cICP", 4), ("mDCV", 24), ("cLLI", 8),
    ]
    for (name, length) in lengths { #expect(try count(with: [chunk(name, length)]) == 0, "\(name)") }
    #expect(try count(with: lengths.map { chunk($0.0, $0.1) }) == 0)
    #expect(try count(HandmadePNG.moving(frames: 3)) == 0)
    let still = try HandmadePNG.still(40, 30)
    let data = try #require(still.first { $0.kind == .data }).content
    let parts: [Chunk] = [(.data, Array(data.prefix(9))), (.data, []), (.data, Array(data.dropFirst(9)))]
    #expect(try count(HandmadePNG.file(still.prefix(1) + parts + still.suffix(1))) == 0)
  }

  @Test(arguments: [false, true])
  func everyOtherChunkIsMetadata(afterPixels: Bool) throws {
    for name in ["eXIf", "tEXt", "zTXt", "iTXt", "tIME", "sPLT", "oFFs", "caBX", "abCd", "mDCv"] as [StaticString] {
      #expect(try count(with: [chunk(name, 5)], afterPixels: afterPixels) == 17)
      #expect(try count(with: [chunk(name, 0), chunk(name, 70_000)], afterPixels: afterPixels) == 70_024)
    }
  }

  @Test func bytesWhereNoReaderLooksAreMetadata() throws {
    #expect(try count(with: [chunk("gAMA", 4), chunk("gAMA", 4)]) == 16)
    #expect(try count(with: [chunk("gAMA", 9)]) == 5)
    #expect(try count(with: [chunk("iCCP", 90), chunk("iCCP", 90)]) == 102)
    #expect(try count(with: [chunk("iCCP", 90)], afterPixels: true) == 102)
    // Frames of a picture that does not move, and pixels after the pixels.
    #expect(try count(with: [chunk("fcTL", 26), chunk("fdAT", 100)]) == 150)
    #expect(try count(with: [chunk("acTL", 8), chunk("fdAT", 100)], afterPixels: true) == 132)
    #expect(try count(with: [chunk("pHYs", 9), chunk("IDAT", 100)], afterPixels: true) == 112)
    let still = try HandmadePNG.still(4, 3)
    #expect(try count(HandmadePNG.file(still.dropLast() + [chunk("IEND", 11)])) == 11)
    #expect(try count(HandmadePNG.file(still) + [0]) == 1)
    #expect(try count(HandmadePNG.file(still) + HandmadePNG.file(still)) == HandmadePNG.file(still).count)
  }

  @Test func whatIsNotUnderstoodIsNotCounted() throws {
    #expect(try count(with: [chunk("ABcD", 3)]) == nil)
    #expect(try count(with: [chunk("IHDR", 13)]) == nil)
    #expect(try count(with: [chunk("a1cd", 3)]) == nil)
    let still = try HandmadePNG.still(4, 3)
    #expect(try count(HandmadePNG.file([chunk("CgBI", 4)] + still)) == nil)
    #expect(try count(HandmadePNG.file(still.filter { $0.kind != .data })) == nil)
    #expect(try count(HandmadePNG.file(still.dropLast())) == nil)
    #expect(try count([]) == nil)
    #expect(try count(Array("GIF89a".utf8)) == nil)
  }
}
