import EaselCoding
import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselJXL

/// The bytes that belong neither to pictures nor to their colour profiles.
struct MetadataCountTests {
  private typealias T = JXLTesting

  private func count(_ bytes: [UInt8]) throws -> Int? { try MetadataCount.of(bytes, by: JXLCoder()) }

  private func box(_ name: String, _ count: Int) -> [UInt8] {
    [0, 0, 0, UInt8(count + 8)] + Array(name.utf8) + [UInt8](repeating: 7, count: count)
  }

  @Test func blocksAreCountedWithTheirHeads() throws {
    var image = try Image(Bitmap.noise(12, 10, .rgba8))
    image.metadata.exif = EXIF(orientation: .up).bytes
    // The block begins with the distance to its header.
    let exif = EXIF(orientation: .up).bytes.count + 12
    func counted() throws -> Int? { try count(T.encode(image) { $0.keepsMetadata = true }.array) }
    #expect(try counted() == exif)
    image.metadata.xmp = Data("<x:xmpmeta/>".utf8)
    #expect(try counted() == exif + 20)
  }

  @Test func anOrientationIsCounted() throws {
    var image = try Image(Bitmap.noise(12, 10, .rgba8))
    image.metadata.orientation = .left
    #expect(try count(T.encode(image).array) == 1)
  }

  @Test func otherBoxesAndBytesAfterTheEndAreCounted() throws {
    var image = try Image(Bitmap.noise(12, 10, .rgba8))
    #expect(try count(T.encode(image).array + [1, 2, 3]) == 3)
    image.metadata.xmp = Data("<x:xmpmeta/>".utf8)
    let bytes = try T.encode(image) { $0.keepsMetadata = true }.array
    #expect(try count(bytes + box("uuid", 20)) == 48)
    #expect(try count(bytes + [1, 2, 3]) == 23)
    #expect(try count(bytes + [0, 0, 0, 90] + Array("a tail of bytes".utf8)) == 39)
  }
}
