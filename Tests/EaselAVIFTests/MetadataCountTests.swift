import EaselCoding
import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselAVIF

/// The bytes that belong neither to pictures nor to their colour profiles.
struct MetadataCountTests {
  private typealias T = AVIFTesting

  private func count(_ bytes: [UInt8]) throws -> Int? { try MetadataCount.of(bytes, by: AVIFCoder()) }

  private func box(_ name: String, _ count: Int) -> [UInt8] {
    [0, 0, 0, UInt8(count + 8)] + Array(name.utf8) + [UInt8](repeating: 7, count: count)
  }

  @Test(arguments: [false, true])
  func blocksAreCounted(moves: Bool) throws {
    var image = try moves ? T.moving().image : Image(Bitmap.noise(12, 10, .rgba8))
    image.metadata.exif = EXIF(orientation: .up).bytes
    // The block begins with the distance to its header.
    let exif = EXIF(orientation: .up).bytes.count + 4
    func counted() throws -> Int? { try count(T.encode(image) { $0.keepsMetadata = true }.array) }
    #expect(try counted() == exif)
    image.metadata.xmp = Data("<x:xmpmeta/>".utf8)
    #expect(try counted() == exif + 12)
  }

  @Test func anOrientationIsCounted() throws {
    var image = try Image(Bitmap.noise(12, 10, .rgba8))
    image.metadata.orientation = .left
    #expect(try count(T.encode(image).array) == 9)
    // Once for the picture, and once for the frames.
    image = try T.moving().image
    image.metadata.orientation = .left
    #expect(try count(T.encode(image).array) == 18)
  }

  /// The file with its pixels before its description, whose size is not stated because it is the last box.
  private func describedLast(_ file: [UInt8]) throws -> [UInt8] {
    let (boxes, items) = file.withUnsafeBytes { file in
      let bytes = MediaBytes(file)
      let boxes = bytes.boxes(in: 0..<file.count)
      return (boxes, boxes.first("meta").flatMap { bytes.boxes(in: $0.body(isFull: true)).first("iloc") })
    }
    let (meta, pixels) = (try #require(boxes.first("meta")), try #require(boxes.first("mdat")))
    var moved = Data(file)
    let isMoved = try file.withUnsafeBytes { bytes in
      try moved.moveItems(in: #require(items), MediaBytes(bytes), by: -meta.count, from: pixels.start)
    }
    #expect(isMoved && pixels.end == file.count && pixels.start == meta.end)
    for index in 0..<4 { moved[meta.start + index] = 0 }
    return Array(moved[..<meta.start] + moved[pixels.start...] + moved[meta.start..<pixels.start])
  }

  @Test func bytesAfterABoxWithoutSizeAreCounted() throws {
    let bitmap = try Bitmap.noise(12, 10, .rgba8)
    let bytes = try describedLast(T.encode(Image(bitmap), T.lossless).array)
    #expect(try count(bytes) == 0)
    #expect(try T.decode(ImageBytes(bytes)).bitmap == bitmap)
    // The last ones look like another box without a size.
    let tails: [[UInt8]] = [
      [1], [0xFF, 0xD9, 0x3B], Array("a tail of bytes".utf8), [0, 0, 0, 0, 0, 0xFF, 0xD9, 0x3B],
    ]
    for added in tails {
      #expect(try count(bytes + added) == added.count)
      #expect(try T.decode(ImageBytes(bytes + added)).bitmap == bitmap)
    }
  }

  @Test func theHeadOfALongBoxIsNoTail() throws {
    let bytes = try T.encode(Image(Bitmap.noise(12, 10, .rgba8))).array
    let head = [0, 0, 0, 1] + Array("mdat".utf8) + [UInt8](repeating: 0, count: 8)
    for length in 8..<16 { #expect(try count(bytes + head.prefix(length)) == nil, "\(length)") }
    #expect(try count(bytes + head.prefix(7)) == 7)
    #expect(try count(bytes + box("styp", 8)) == 16)
  }

  @Test func otherBoxesAndBytesAfterTheEndAreCounted() throws {
    let bytes = try T.encode(Image(Bitmap.noise(12, 10, .rgba8))).array
    #expect(try count(bytes + box("uuid", 20)) == 28)
    #expect(try count(bytes + box("note", 0)) == 8)
    #expect(try count(bytes + box("free", 5)) == 5)
    #expect(try count(bytes + box("mdat", 30)) == 30)
    #expect(try count(bytes + [1, 2, 3]) == 3)
    // Only the first box of a kind is read.
    #expect(try count(bytes + box("meta", 12)) == 20)
    #expect(try count(bytes + [0, 0, 0, 90] + Array("a tail of bytes".utf8)) == 19)
  }
}
