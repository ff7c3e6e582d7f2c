import EaselCore
import EaselTestPixels
import Testing

@testable import EaselGIF

/// The bytes that belong neither to the picture nor to its colour profile.
struct MetadataCountTests {
  private static let frame = HandmadeGIF.Frame(
    rect: PixelRect(x: 0, y: 0, width: 2, height: 1), indices: [1, 2], control: (1, 9, nil))
  private static let control: [UInt8] = [0x21, 0xF9, 4, 0, 9, 0, 0, 0]

  private func count(_ bytes: [UInt8], work: WorkContext = WorkContext()) throws -> Int? {
    try MetadataCount.of(bytes, by: GIFCoder(), work: work)
  }

  private func file(_ blocks: [[UInt8]], repeats: Int? = nil, frames: Int = 2) -> [UInt8] {
    HandmadeGIF(
      screen: PixelSize(width: 2, height: 1), repeats: repeats, blocks: blocks,
      frames: Array(repeating: Self.frame, count: frames)
    ).bytes
  }

  @Test func theBlocksOfAPictureAreNoMetadata() throws {
    #expect(try count(file([])) == 0)
    #expect(try count(file([], repeats: 3)) == 0)
    #expect(try count(file([HandmadeGIF.application("ANIMEXTS1.0", [1, 0, 0])])) == 0)
    for length in [1, 255, 256, 100_000] {
      let profile = HandmadeGIF.application("ICCRGBG1012", [UInt8](repeating: 0x21, count: length))
      #expect(try count(file([profile], repeats: 0)) == 0)
    }
  }

  @Test func everyOtherBlockIsMetadata() throws {
    let long = HandmadeGIF.subBlocks([UInt8](repeating: 0x3B, count: 1000)) + [0]
    for label in [0xFE, 0x01, 0x00, 0xCE] as [UInt8] {
      #expect(try count(file([[0x21, label, 0], [0x21, label] + long])) == 3 + 2 + long.count)
    }
    for name in ["XMP DataXMP", "ICCRGBG1013", "NETSCAPE2.1", "MGK8BIM0000"] {
      let block = HandmadeGIF.application(name, [UInt8](repeating: 1, count: 300))
      #expect(try count(file([block])) == block.count)
    }
    let raw = Array("<x:xmpmeta/>".utf8) + GIFMetadata.xmpTrailer
    #expect(try count(file([[0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + raw])) == 14 + raw.count)
  }

  @Test func bytesWhereNoReaderLooksAreMetadata() throws {
    let loop = HandmadeGIF.application("NETSCAPE2.0", [1, 0, 0])
    #expect(try count(file([loop], repeats: 0)) == 19)
    let buffer = HandmadeGIF.application("NETSCAPE2.0", [2, 0, 0, 0, 1])
    #expect(try count(file([buffer])) == buffer.count)
    let longer = HandmadeGIF.application("NETSCAPE2.0", [1, 0, 0] + Array("37.8 N".utf8))
    #expect(try count(file([longer])) == longer.count)
    let profile = HandmadeGIF.application("ICCRGBG1012", [1, 2, 3])
    #expect(try count(file([profile, profile])) == profile.count)
    // Control values that are replaced, that a text uses up, and that wait for a frame in vain.
    #expect(try count(file([Self.control, Self.control])) == 16)
    #expect(try count(file([Self.control, [0x21, 0x01, 0]])) == 11)
    #expect(try count(file([]).dropLast() + Self.control + [0x3B]) == 8)
    #expect(try count(file([]) + [0, 0, 0]) == 3)
    #expect(try count(file([]) + file([])) == file([]).count)
  }

  @Test func whatIsNotUnderstoodIsNotCounted() throws {
    #expect(try count(file([[0]])) == nil)
    #expect(try count(file([[0x21, 0xF9, 5, 0, 9, 0, 0, 0, 0]])) == nil)
    #expect(try count(file([[0x21, 0xF9, 4, 0, 9, 0, 0, 1, 7, 0]])) == nil)
    #expect(try count(file([], frames: 0)) == nil)
    #expect(try count([]) == nil)
    #expect(try count(file([[0x21, 0xFE] + Array(repeating: [1, 0], count: 3).flatMap { $0 }])) == nil)
  }
}
