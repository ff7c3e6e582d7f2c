import EaselCoding
import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselTIFF

/// The bytes that belong neither to pictures nor to their colour profiles.
struct MetadataCountTests {
  private typealias T = TIFFTesting

  private func count(_ bytes: [UInt8]) throws -> Int? { try MetadataCount.of(bytes, by: TIFFCoder()) }

  @Test func blocksAreCountedWithTheirEntries() throws {
    var image = try Image(Bitmap.noise(13, 11, .rgba8))
    func counted() throws -> Int? { try count(T.encode(image) { $0.keepsMetadata = true }.array) }
    image.metadata.xmp = Data("<x:xmpmeta/>".utf8)
    #expect(try counted() == 12 + 12)
    image.metadata.xmp = nil
    image.metadata.density = ImageMetadata.Density(horizontal: 72, vertical: 72)
    let density = try counted()
    #expect(density == 3 * 12 + 2 * 8)
    image.metadata.density = nil
    image.metadata.orientation = .left
    let turn = try count(T.encode(image).array)
    #expect(turn == 12)
  }

  @Test func pixelsOverADirectoryHideNoMetadata() throws {
    let description = (tag: 270, type: 2, values: Array("hello".utf8).map(Int.init) + [0])
    var page = HandmadeTIFF.Page.gray(4, 4)
    page.tags = [description]
    let plain = HandmadeTIFF(page).bytes
    #expect(try count(plain) == 12 + 6)
    // The strip is the whole file.
    page.tags = [description, (273, 4, [0]), (279, 4, [plain.count])]
    #expect(try count(HandmadeTIFF(page).bytes) == nil)
  }

  @Test func valuesOverADirectoryHideNoMetadata() throws {
    var page = HandmadeTIFF.Page.gray(4, 4)
    page.tags = [(270, 2, Array("hello".utf8).map(Int.init) + [0])]
    let made = HandmadeTIFF(page)
    var file = made.bytes
    #expect(try count(file) == 12 + 6)
    // The numbers of the kind of colours begin in front of the directory and end with the file.
    let entry = try #require(file.firstRange(of: made.number(262, 2) + made.number(3, 2))).lowerBound
    file.replaceSubrange(entry + 4..<entry + 12, with: made.number((file.count - 2) / 2, 4) + made.number(2, 4))
    #expect(try count(file) == nil)
  }

  @Test func aFileThatEndsInADirectoryBelowAnotherIsDamaged() throws {
    var page = HandmadeTIFF.Page.gray(4, 4)
    page.tags = [(330, 4, [0])]
    let made = HandmadeTIFF(page)
    page.tags = [(330, 4, [made.bytes.count])]
    let child = made.number(1, 2) + made.number(254, 2) + made.number(4, 2) + made.number(1, 4) + made.number(1, 4)
    let file = HandmadeTIFF(page).bytes + child + made.number(0, 4)
    #expect(try count(file) == 0)
    // Bytes after the end would be read as the rest of the directory.
    for missing in 1...file.count - made.bytes.count {
      #expect(try count(Array(file.dropLast(missing))) == nil, "\(missing)")
    }
    #expect(try count(file + [1, 2, 3]) == 3)
  }

  @Test func bytesAfterTheEndAreCounted() throws {
    let bytes = try T.encode(Image(Bitmap.noise(13, 11, .rgba8))).array
    #expect(try count(bytes + [1, 2, 3]) == 3)
    #expect(try count(Array(bytes.dropLast(9))) == nil)
    #expect(try count(Array("II*\0".utf8)) == nil)
  }
}
