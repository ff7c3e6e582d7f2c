import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselTIFF

struct EncodingTests {
  private typealias T = TIFFTesting

  @Test func greyIsWrittenAsGrey() throws {
    func samples(_ bitmap: Bitmap, _ profile: Data? = nil) throws -> Int? {
      let metadata = ImageMetadata(storedSize: bitmap.size, iccProfile: profile)
      let bytes = try T.encode(Image(bitmap, metadata: metadata))
      let back = try T.decode(bytes) {
        $0.keeps16Bits = true
        $0.convertsColor = false
      }
      if bitmap.format.layout != .gray8 { #expect(back.bitmap == bitmap) }
      #expect(back.metadata.iccProfile == profile)
      let file = try TIFFFile(bytes, limits: Limits())
      return try file.directories.number(TIFFTag.samplesPerPixel, of: file.pages[0].directory)
    }
    let gray = try Bitmap(20, 10, .opaqueRGBA8) { x, y in [x * y, x * y, x * y, 255] }
    let covered = try Bitmap(20, 10, .rgba8) { x, y in [x * y, x * y, x * y, x * 9] }
    let wide = try gray.converted(to: PixelFormat(.rgba16, alpha: .opaque))
    #expect(try samples(gray) == 1 && samples(covered) == 2 && samples(wide) == 1)
    #expect(try samples(Bitmap.noise(9, 9, .gray8)) == 1 && samples(Bitmap.noise(9, 9, .rgba8)) == 4)
    // Grey values cannot follow a profile of colours.
    #expect(
      try samples(gray, LinearProfile.colors) == 3 && samples(Bitmap.noise(9, 9, .gray8), LinearProfile.colors) == 3)
    #expect(try samples(gray, LinearProfile.gray) == 1)
  }

  @Test func smallerFilesAreMadeByTheSettings() throws {
    let image = try Image(Bitmap.waves(400, 300))
    func count(_ change: (inout EncodeOptions) -> Void) throws -> Int { try T.encode(image, change).count }
    let none = try count { $0.settings[.tiffCompression] = TIFFCompression.none }
    let packed = try count { $0.settings[.tiffCompression] = .lzw }
    let usual = try count { _ in }
    #expect(none > 400 * 300 * 3 && packed < none && usual < packed)
    #expect(try count { $0.settings[.tiffPredictor] = false } > usual)
    #expect(try count { $0.compressionLevel = 1 } > count { $0.compressionLevel = 9 })
  }

  @Test func pagesMayDiffer() throws {
    let bitmaps = try [
      Bitmap.noise(8, 8, .gray8), Bitmap.noise(8, 8, .rgba8), Bitmap.noise(8, 8, PixelFormat(.rgba16, alpha: .opaque)),
    ]
    let pages = Frames(bitmaps: bitmaps, durations: Array(repeating: .milliseconds(50), count: 3))
    let frames = try #require(try T.decode(T.encode(pages.image)) { $0.keeps16Bits = true }.frames)
    #expect(try frames.frame(at: 0) == bitmaps[0].converted(to: .opaqueRGBA8))
    #expect(try frames.frame(at: 1) == bitmaps[1] && frames.frame(at: 2) == bitmaps[2])
  }

  @Test func metadataComeBackWhereTheyAreKept() throws {
    let bitmap = try Bitmap.noise(9, 7, .opaqueRGBA8)
    var metadata = ImageMetadata(storedSize: bitmap.size, iccProfile: LinearProfile.colors)
    metadata.xmp = Data("<x:xmpmeta/>".utf8)
    metadata.density = ImageMetadata.Density(horizontal: 300, vertical: 72.5)
    metadata.exif = Self.exif(isBigEndian: true)
    let image = Image(bitmap, metadata: metadata)
    let kept = try T.decode(T.encode(image) { $0.keepsMetadata = true }) { $0.convertsColor = false }.metadata
    #expect(kept.iccProfile == metadata.iccProfile && kept.xmp == metadata.xmp && kept.density == metadata.density)
    let exif = try #require(kept.exif)
    for text in ["Easel & Co", "2026:11", "at home"] { #expect(exif.firstRange(of: Data(text.utf8)) != nil, "\(text)") }
    // A second round changes nothing.
    let again = try T.decode(
      T.encode(Image(bitmap, metadata: kept)) { $0.keepsMetadata = true }
    ) { $0.convertsColor = false }.metadata
    #expect(again == kept)
    let dropped = try T.decode(T.encode(image)) { $0.convertsColor = false }.metadata
    #expect(dropped.iccProfile == metadata.iccProfile)
    #expect(dropped.xmp == nil && dropped.exif == nil && dropped.density == nil)
    let notice = try T.decode(T.encode(image) { $0.keepsCopyright = true }).metadata
    #expect(notice.exif?.firstRange(of: Data("Easel & Co".utf8)) != nil && notice.xmp == nil)
    #expect(notice.exif?.firstRange(of: Data("at home".utf8)) == nil)
  }

  /// A block with a copyright, an exposure of 1/125, and a place.
  private static func exif(isBigEndian: Bool) -> Data {
    func bytes(_ text: String) -> TIFFBlockEntry.Content { .bytes(Array(text.utf8) + [0]) }
    var writer = TIFFBlockWriter(isBigEndian: isBigEndian)
    let fraction = [1, 125].flatMap { TIFFBlockWriter.bytes(of: $0, count: 4, isBigEndian: isBigEndian) }
    let exif = [
      TIFFBlockEntry(tag: 33_434, type: 5, count: 1, content: .bytes(fraction)),
      TIFFBlockEntry(tag: 36_867, type: 2, count: 8, content: bytes("2026:11")),
    ]
    let place = [TIFFBlockEntry(tag: 27, type: 7, count: 8, content: bytes("at home"))]
    return writer.block(of: [
      TIFFBlockEntry(tag: TIFFTag.copyright, type: 2, count: 11, content: bytes("Easel & Co")),
      TIFFBlockEntry(tag: TIFFTag.exif, type: 4, count: 1, content: .directory(exif)),
      TIFFBlockEntry(tag: TIFFTag.gps, type: 4, count: 1, content: .directory(place)),
    ])
  }

  @Test func numbersOfEXIFAreTurnedRound() throws {
    let bitmap = try Bitmap.noise(3, 3, .opaqueRGBA8)
    var blocks: [Data] = []
    for isBigEndian in [true, false] {
      var metadata = ImageMetadata(storedSize: bitmap.size)
      metadata.exif = Self.exif(isBigEndian: isBigEndian)
      let bytes = try T.encode(Image(bitmap, metadata: metadata)) { $0.keepsMetadata = true }
      blocks.append(try #require(try T.decode(bytes).metadata.exif))
    }
    #expect(blocks[0] == blocks[1])
  }
}
