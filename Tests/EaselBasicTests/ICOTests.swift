import EaselCore
import EaselPNG
import EaselPixels
import EaselTestPixels
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselBasic

struct ICOTests {
  private let coder = ICOCoder()

  private let red = PixelColor(red: 255, green: 0, blue: 0)
  private let green = PixelColor(red: 0, green: 255, blue: 0)

  private func png(_ bitmap: Bitmap) throws -> HandmadeICO.Part {
    let file = try PNGCoder().encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext())
    return HandmadeICO.Part(bitmap.width, bitmap.height, try file.withUnsafeBytes(Array.init))
  }

  private func samples() throws -> [ImageSample] {
    let signature = [0..<4]
    let rgba = try Bitmap.noise(13, 9, .rgba8)
    let opaque = try Bitmap.noise(11, 7, .opaqueRGBA8)
    let masked = HandmadeICO(
      .bitmap(3, 2, bits: 24, pixels: (0..<24).map { 9 * $0 }, mask: [0x40, 0, 0, 0, 0x80, 0, 0, 0]))
    let several = HandmadeICO(
      .plain(2, blue: 10), .plain(8, blue: 20), .plain(4, blue: 30), try png(.noise(8, 8, .rgba8)))
    return [
      ImageSample("with alpha", bytes: try written(Image(rgba), by: coder), pixels: rgba, signature: signature),
      ImageSample("opaque", bytes: try written(Image(opaque), by: coder), pixels: opaque, signature: signature),
      ImageSample("masked", bytes: masked.bytes, signature: signature),
      ImageSample("several", bytes: several.bytes, signature: signature),
    ]
  }

  @Test func theCoderKeepsItsContract() async throws {
    let violations = try await ImageCoderContract(coder, samples: samples()).check()
    #expect(violations == [])
  }

  @Test(arguments: [1, 2])
  func theMaskHidesPixels(kind: Int) throws {
    let icon = HandmadeICO(
      .bitmap(
        2, 2, bits: 1, colors: [(255, 0, 0), (0, 255, 0)], pixels: [0x40, 0, 0, 0, 0x80, 0, 0, 0],
        mask: [0x80, 0, 0, 0, 0x40, 0, 0, 0]), kind: kind)
    let image = try read(icon.bytes, by: coder)
    #expect(colors(image) == [green, .clear, .clear, green])
    #expect(image.format == .ico)
    #expect(try MetadataCount.of(icon.bytes, by: coder) == 0)
  }

  @Test func alphaIsUsedUnlessAllOfItIsZero() throws {
    let some = HandmadeICO(
      .bitmap(2, 1, bits: 32, pixels: [0, 0, 255, 0, 0, 255, 0, 7], mask: [0xC0, 0, 0, 0]))
    #expect(
      colors(try read(some.bytes, by: coder)) == [
        PixelColor(red: 255, green: 0, blue: 0, alpha: 0), PixelColor(red: 0, green: 255, blue: 0, alpha: 7),
      ])
    let none = HandmadeICO(
      .bitmap(2, 1, bits: 32, pixels: [0, 0, 255, 0, 0, 255, 0, 0], mask: [0x40, 0, 0, 0]))
    #expect(colors(try read(none.bytes, by: coder)) == [red, .clear])
  }

  @Test func theLargestAndDeepestPictureIsTaken() throws {
    let shallow = HandmadeICO.Part.bitmap(
      4, 4, bits: 24, pixels: [UInt8](repeating: 9, count: 48), mask: [UInt8](repeating: 0, count: 16))
    let icon = HandmadeICO(.plain(2, blue: 1), shallow, .plain(4, blue: 2), .plain(4, blue: 3), .plain(3, blue: 4))
    let image = try read(icon.bytes, by: coder)
    #expect(image.size == PixelSize(width: 4, height: 4))
    #expect(image.bitmap.pixel(x: 0, y: 0)?.blue == 2)
    #expect(try coder.probe(ImageBytes(icon.bytes), work: WorkContext()).storedSize == image.size)
  }

  /// Some programs make PNGs of full depth of pictures with few colours, and only the directory tells.
  @Test(arguments: [[4, 8, 32], [32, 8, 4], [8, 32, 4]])
  func ofPNGsOfOneDepthTheDirectoryTellsTheBest(depths: [Int]) throws {
    let parts = try depths.map { bits in
      let color = PixelColor(red: UInt8(bits), green: 0, blue: 0, alpha: 200)
      var part = try png(Bitmap(24, 24, color, .rgba8))
      part.statedBits = bits
      return part
    }
    var icon = HandmadeICO()
    icon.parts = parts
    #expect(try read(icon.bytes, by: coder).bitmap.components(3, 3)[0] == 32)
    let small = try read(icon.bytes, by: coder, DecodeOptions(thumbnailSize: PixelSize(width: 8, height: 8)))
    #expect(small.bitmap.components(3, 3)[0] == 32)
  }

  @Test(arguments: [(64, 1), (63, 1), (33, 1), (32, 2), (17, 2), (16, 3), (9, 3), (1, 3)])
  func aThumbnailIsMadeOfThePictureThatSuffices(side: Int, blue: UInt8) throws {
    let icon = HandmadeICO(.plain(16, blue: 3), .plain(64, blue: 1), .plain(32, blue: 2))
    let image = try read(
      icon.bytes, by: coder, DecodeOptions(thumbnailSize: PixelSize(width: side, height: side), fidelity: .fast))
    #expect(image.size == PixelSize(width: side, height: side))
    #expect(colors(image).allSatisfy { $0 == PixelColor(red: 0, green: 0, blue: blue) })
    #expect(image.traits == (side == 64 ? [] : .thumbnail))
    #expect(image.metadata.storedSize == PixelSize(width: 64, height: 64))
  }

  @Test(arguments: [(13, 1), (7, 1), (6, 2), (4, 2), (3, 3)])
  func lightIsAveragedOfAPictureOfSeveralTimesTheSize(side: Int, blue: UInt8) throws {
    let icon = HandmadeICO(.plain(16, blue: 3), .plain(64, blue: 1), .plain(32, blue: 2))
    let image = try read(icon.bytes, by: coder, DecodeOptions(thumbnailSize: PixelSize(width: side, height: side)))
    #expect(colors(image).allSatisfy { $0 == PixelColor(red: 0, green: 0, blue: blue) })
  }

  @Test func onlyWhatSufficesIsRead() throws {
    let icon = HandmadeICO(.plain(16, blue: 3), .plain(64, blue: 1), try png(.noise(32, 32, .rgba8)))
    var options = DecodeOptions()
    options.leastSize = PixelSize(width: 10, height: 10)
    #expect(try read(icon.bytes, by: coder, options).size == PixelSize(width: 16, height: 16))
    options.leastSize = PixelSize(width: 17, height: 17)
    let middle = try read(icon.bytes, by: coder, options)
    #expect(middle.bitmap == (try Bitmap.noise(32, 32, .rgba8)))
    #expect(middle.traits == .thumbnail)
    options.leastSize = PixelSize(width: 40, height: 40)
    #expect(try read(icon.bytes, by: coder, options).traits == [])
  }

  @Test func aPictureOfAnotherShapeDoesNotSuffice() throws {
    let wide = HandmadeICO.Part.bitmap(
      20, 10, bits: 24, pixels: [UInt8](repeating: 9, count: 600), mask: [UInt8](repeating: 0, count: 40))
    let icon = HandmadeICO(wide, .plain(64, blue: 1))
    let image = try read(icon.bytes, by: coder, DecodeOptions(thumbnailSize: PixelSize(width: 10, height: 10)))
    #expect(colors(image)[0].blue == 1)
  }

  @Test func thePicturesHeaderIsRightAndNotTheDirectory() throws {
    var part = HandmadeICO.Part.plain(4, blue: 1)
    (part.width, part.height) = (16, 9)
    #expect(try read(HandmadeICO(part).bytes, by: coder).size == PixelSize(width: 4, height: 4))
    part.statedCount = 1
    #expect(try read(HandmadeICO(part).bytes, by: coder).size == PixelSize(width: 4, height: 4))
    #expect(try MetadataCount.of(HandmadeICO(part).bytes, by: coder) == nil)
  }

  @Test func unknownPicturesArePassedOver() throws {
    let unknown = HandmadeICO.Part(64, 64, [UInt8](repeating: 0x77, count: 200))
    let icon = HandmadeICO(unknown, .plain(4, blue: 1))
    #expect(try read(icon.bytes, by: coder).size == PixelSize(width: 4, height: 4))
    #expect(try MetadataCount.of(icon.bytes, by: coder) == nil)
    let error = failure(HandmadeICO(unknown).bytes, by: coder)
    #expect(error?.message == "ICO: none of its 1 pictures is a bitmap or a PNG.")
  }

  @Test func aCutFileIsAnErrorOrAPart() throws {
    let bytes = HandmadeICO(.plain(2, blue: 1), .plain(4, blue: 2)).bytes
    let cut = Array(bytes.prefix(38 + 40 + 16 + 8 + 10))
    #expect(failure(cut, by: coder)?.message == "ICO: the file ends before its picture 1.")
    let part = try read(cut, by: coder, DecodeOptions(damaged: .show))
    #expect(part.size == PixelSize(width: 2, height: 2))
    #expect(part.traits == .partial)
    #expect(failure(Array(bytes.prefix(30)), by: coder)?.code == .badImageData)
    let masked = HandmadeICO(.bitmap(1, 1, bits: 24, pixels: [0, 0, 0, 0], mask: [0, 0, 0, 0])).bytes
    let message = "ICO: the file ends within the mask, after 0 rows."
    #expect(failure(Array(masked.dropLast()), by: coder)?.message == message)
  }

  @Test func impossibleDirectoriesAreNotRecognized() {
    let sound = HandmadeICO(.plain(2, blue: 1)).bytes
    #expect(coder.canDecode(prefix: sound))
    #expect(!coder.canDecode(prefix: Array(sound.prefix(21))))
    for (place, value) in [(0, UInt8(1)), (1, 1), (2, 0), (2, 3), (3, 0xBA), (4, 0), (18, 21), (5, 1)] {
      var other = sound
      other[place] = value
      #expect(!coder.canDecode(prefix: other), "\(place)")
      #expect(failure(other, by: coder)?.code == .badImageData)
    }
    var empty = sound
    empty.replaceSubrange(14..<18, with: [0, 0, 0, 0])
    #expect(!coder.canDecode(prefix: empty))
  }

  @Test func sizesAreCheckedBeforeAnythingIsRead() throws {
    var part = HandmadeICO.Part.plain(2, blue: 1)
    part.bytes.replaceSubrange(4..<12, with: [0, 0, 1, 0, 0, 0, 2, 0])
    #expect(failure(HandmadeICO(part).bytes, by: coder)?.code == .limitExceeded)
    var large = try png(.noise(2, 2, .rgba8))
    large.bytes.replaceSubrange(16..<24, with: [0, 1, 0, 0, 0, 1, 0, 0])
    #expect(failure(HandmadeICO(large).bytes, by: coder)?.code == .limitExceeded)
  }

  @Test func aManyfoldDirectoryCanBeGivenUp() {
    var bytes = HandmadeICO(.plain(2, blue: 1)).bytes
    bytes.replaceSubrange(4..<6, with: [255, 255])
    bytes.replaceSubrange(18..<22, with: [0xF6, 0xFF, 0x0F, 0])
    let error = failure(bytes, by: coder)
    #expect(error?.message == "ICO: the file ends within its directory.")
    let work = WorkContext(isCancelled: true)
    #expect(throws: ImageError.self) { try coder.probe(ImageBytes(bytes), work: work) }
  }

  @Test func everyKindOfPictureComesBack() throws {
    for format in [PixelFormat.rgba8, .opaqueRGBA8, .rgba16] {
      let bitmap = try Bitmap.noise(31, 17, format)
      let bytes = try written(Image(bitmap), by: coder)
      #expect(try read(bytes, by: coder, DecodeOptions(keeps16Bits: true)).bitmap == bitmap)
      #expect(try MetadataCount.of(bytes, by: coder) == 0)
    }
    let full = try written(Image(Bitmap.noise(256, 256, .opaqueRGBA8)), by: coder)
    #expect(full[6] == 0 && full[7] == 0)
    #expect(try read(full, by: coder).size == PixelSize(width: 256, height: 256))
  }

  @Test func anIconHasAtMost256PixelsASide() throws {
    let image = Image(try Bitmap.noise(257, 2, .rgba8))
    let error = #expect(throws: ImageError.self) { try written(image, by: coder) }
    #expect(error?.code == .encodeFailed)
    let fitting = try written(image, by: coder, EncodeOptions(maxPixelSize: PixelSize(width: 256, height: 256)))
    #expect(try read(fitting, by: coder).size == PixelSize(width: 256, height: 2))
  }

  @Test func exactlyTheOptionsOfTheFormatHaveAnEffect() throws {
    let names: Set = ["maxPixelSize", "maxFileBytes", "compressionLevel", "allowsPalette"]
    #expect(try EncodeOptionWalk.result(of: coder) == .init(onFiles: names, onEffectiveOptions: names))
    #expect(!coder.writesFrames(as: .ico))
  }
}
