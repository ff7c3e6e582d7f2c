import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselPNG

struct EncodingTests {
  private let coder = PNGCoder()

  private func encode(_ image: Image, _ change: (inout EncodeOptions) -> Void = { _ in }) throws -> ImageBytes {
    var options = EncodeOptions()
    change(&options)
    return try coder.encode(image, as: .png, options: options, work: WorkContext())
  }

  private func decode(_ bytes: ImageBytes, _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
    var options = DecodeOptions()
    options.keeps16Bits = true
    change(&options)
    return try coder.decode(bytes, options: options, work: WorkContext())
  }

  @Test(
    arguments: [PixelFormat.rgba8, .opaqueRGBA8, .rgba16, PixelFormat(.rgba16, alpha: .opaque)],
    [(1, 1), (7, 5), (64, 33), (301, 17)])
  func everyPixelComesBack(format: PixelFormat, size: (Int, Int)) throws {
    let bitmap = try Bitmap.noise(size.0, size.1, format)
    #expect(try decode(encode(Image(bitmap))).bitmap == bitmap)
    for level in [0, 1, 9] {
      #expect(try decode(encode(Image(bitmap)) { $0.compressionLevel = level }).bitmap == bitmap)
    }
  }

  @Test func otherLayoutsComeBackAsTheSameColours() throws {
    let gray = try Bitmap.noise(19, 6, .gray8)
    #expect(try decode(encode(Image(gray))).bitmap == gray.converted(to: .opaqueRGBA8))
    let swapped = try Bitmap.noise(19, 6, PixelFormat(.bgra8, alpha: .straight))
    #expect(try decode(encode(Image(swapped))).bitmap == swapped.converted(to: .rgba8))
    let premultiplied = try Bitmap.noise(19, 6, PixelFormat(.rgba8, alpha: .premultiplied))
    #expect(try decode(encode(Image(premultiplied))).bitmap == premultiplied.converted(to: .rgba8))
  }

  @Test(arguments: [1, 2, 3, 4, 5, 16, 17, 255, 256, 257])
  func aPaletteHoldsUpTo256Colours(colors: Int) throws {
    let bitmap = try Bitmap(40, 20, .rgba8) { x, y in
      let index = (y * 40 + x) % colors
      return [index * 7 % 256, index % 256, 255 - index % 256, index % 3 == 0 ? index % 256 : 255 - index / 256]
    }
    let bytes = try encode(Image(bitmap)) { $0.allowsPalette = true }
    #expect(try decode(bytes).bitmap == bitmap)
    let depth = colors <= 2 ? 1 : colors <= 4 ? 2 : colors <= 16 ? 4 : 8
    #expect(try bytes.prefix(26)[24...25] == [UInt8(depth), colors <= 256 ? 3 : 6])
  }

  @Test func withoutLeaveThereIsNoPalette() throws {
    let bytes = try encode(Image(Bitmap(4, 4, .white)))
    #expect(try bytes.prefix(26)[25] == 6)
  }

  @Test(arguments: ImageMetadata.Orientation.allCases)
  func theOrientationThatThePixelsStillHaveIsKept(orientation: ImageMetadata.Orientation) throws {
    let bitmap = try Bitmap.noise(9, 4, .rgba8)
    let metadata = ImageMetadata(storedSize: bitmap.size, orientation: orientation)
    let bytes = try encode(Image(bitmap, metadata: metadata))
    let raw = try decode(bytes) { $0.appliesOrientation = false }
    #expect(raw.bitmap == bitmap)
    #expect(raw.metadata.orientation == orientation)
    let upright = try decode(bytes)
    #expect(try upright.bitmap == bitmap.oriented(orientation))
    #expect(upright.metadata.orientation == .up)
    #expect(try coder.probe(bytes, work: WorkContext()).orientation == orientation)
  }

  @Test func metadataIsDroppedUnlessItIsAskedFor() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 2, height: 2))
    metadata.exif = EXIF(orientation: .left).bytes
    metadata.xmp = Data("<x:xmpmeta/>".utf8)
    metadata.density = ImageMetadata.Density(horizontal: 300, vertical: 72)
    let image = try Image(Bitmap(2, 2, .white), metadata: metadata)
    let dropped = try decode(encode(image)).metadata
    #expect(dropped.exif == nil && dropped.xmp == nil && dropped.density == nil)
    let kept = try decode(encode(image) { $0.keepsMetadata = true }).metadata
    // The pixels stand upright, so the block must say so too.
    #expect(kept.exif.flatMap(EXIF.init)?.orientation == .up)
    #expect(kept.xmp == metadata.xmp)
    #expect(abs((kept.density?.horizontal ?? 0) - 300) < 0.02)
    #expect(abs((kept.density?.vertical ?? 0) - 72) < 0.02)
  }

  @Test func theProfileAlwaysFollowsThePixels() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 2, height: 2))
    metadata.iccProfile = Data((0..<3000).map { UInt8($0 % 251) })
    let bytes = try encode(Image(Bitmap.noise(2, 2, .rgba8), metadata: metadata))
    #expect(try decode(bytes) { $0.convertsColor = false }.metadata.iccProfile == metadata.iccProfile)
    #expect(try coder.probe(bytes, work: WorkContext()).iccProfileBytes == 3000)
  }

  @Test func thePictureIsMadeToFitABox() throws {
    let image = try Image(Bitmap.noise(100, 50, .rgba8))
    let small = try decode(encode(image) { $0.maxPixelSize = PixelSize(width: 10, height: 10) })
    #expect(small.size == PixelSize(width: 10, height: 5))
  }

  @Test func theFileIsMadeToFitALimit() throws {
    let image = try Image(Bitmap.noise(100, 50, .rgba8))
    let bytes = try encode(image) { $0.maxFileBytes = 4000 }
    #expect(bytes.count <= 4000)
    #expect(try decode(bytes).size.width > 20)
    let error = #expect(throws: ImageError.self) { try encode(image) { $0.maxFileBytes = 40 } }
    #expect(error?.code == .encodeFailed)
  }

  @Test func aLimitThatCompressionMeetsCostsNoPixel() throws {
    let image = try Image(Bitmap(64, 64, .rgba8) { x, y in [x, y, x ^ y, 255 - x] })
    let most = try encode(image) { $0.compressionLevel = 0 }.count
    let bytes = try encode(image) {
      $0.compressionLevel = 0
      $0.maxFileBytes = most - 1
    }
    #expect(try decode(bytes).bitmap == image.bitmap)
  }

  @Test func otherFormatsAreNotWritten() throws {
    #expect(!coder.canEncode(.jpeg))
    let image = try Image(Bitmap(1, 1, .white))
    let error = #expect(throws: ImageError.self) {
      try coder.encode(image, as: .jpeg, options: EncodeOptions(), work: WorkContext())
    }
    #expect(error?.code == .encodeFailed)
  }
}
