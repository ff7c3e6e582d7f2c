import Easel
import EaselCoding
import EaselTestSupport
import FoundationEssentials
import Testing

/// A coder that is built of the parts of EaselCoding, as a user would build it.
struct BannerCoderTests {
  private let coder = BannerCoder()

  private func file(_ orientation: ImageMetadata.Orientation) -> [UInt8] {
    let rows = (0..<24).flatMap { row -> [UInt8] in [UInt8(10 * row), UInt8(255 - 10 * row), 40] }
    return Array("BNNR".utf8) + [36, 24, UInt8(orientation.rawValue)] + rows
  }

  @Test(arguments: ImageMetadata.Orientation.allCases)
  func sizeAndOrientationAreThoseOfTheOptions(orientation: ImageMetadata.Orientation) throws {
    let bytes = ImageBytes(file(orientation))
    var options = DecodeOptions(appliesOrientation: false)
    let stored = try coder.decode(bytes, options: options, work: WorkContext())
    #expect(stored.size == PixelSize(width: 36, height: 24) && stored.metadata.orientation == orientation)
    #expect(stored.bitmap.withUnsafeBytes { Array($0.prefix(4)) } == [0, 255, 40, 255])
    options.thumbnailSize = PixelSize(width: 12, height: 12)
    options.appliesOrientation = true
    let small = try coder.decode(bytes, options: options, work: WorkContext())
    let expected = try stored.bitmap.resized(to: PixelSize(width: 12, height: 8), linearLight: true).oriented(
      orientation)
    #expect(small.bitmap == expected && small.metadata.orientation == .up && small.traits == .thumbnail)
  }

  @Test func theCoderKeepsItsContract() async throws {
    let samples = [ImageMetadata.Orientation.up, .right].map {
      ImageSample("\($0)", bytes: file($0), signature: [0..<4])
    }
    let violations = await ImageCoderContract(coder, samples: samples).check()
    #expect(violations.isEmpty, "\(violations)")
  }

  @Test func metadataBlocksAreReadAndChanged() throws {
    let block = EXIF(orientation: .left)
    #expect(EXIF(block.bytes)?.orientation == .left && block.stating(.down).orientation == .down)
    var metadata = ImageMetadata(storedSize: PixelSize(width: 2, height: 2), orientation: .right)
    metadata.exif = block.bytes
    var options = EncodeOptions()
    options.keepsMetadata = true
    #expect(KeptMetadata(metadata, options).exif?.orientation == .right)
  }

  @Test func aFileIsMadeToFit() throws {
    let search = FileSizeSearch(limit: 100, name: "Banner")
    let size = PixelSize(width: 20, height: 10)
    let fit = try search.byQuality(from: size, quality: 0.9) { size, quality in
      Data(count: Int(Double(size.area) * quality))
    }
    #expect((80...100).contains(fit.count))
  }
}
