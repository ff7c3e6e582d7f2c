import CEaselColorFixtures
import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselJPEG

struct MetadataTests {
  private let packet = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)

  private func piece(_ number: Int, _ total: Int, _ bytes: [UInt8]) -> [UInt8] {
    Pictures.segment(0xE2, JPEGProfilePieces.marker + [UInt8(number), UInt8(total)] + bytes)
  }

  /// Bytes that begin with their count, like a profile.
  private func profile(_ count: Int) -> [UInt8] {
    [UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)]
      + (4..<count).map { UInt8($0 % 251) }
  }

  private func read(_ segments: [[UInt8]]) throws -> ImageMetadata {
    let file = try Pictures.inserting(segments, into: Pictures.file(Image(Pictures.corners(16, 16))))
    return try Pictures.decode(file) {
      $0.convertsColor = false
      $0.appliesOrientation = false
    }.metadata
  }

  @Test func blocksAreReadFromTheirSegments() throws {
    let exif = EXIF(orientation: .left).bytes
    let metadata = try read([
      Pictures.segment(0xE1, JPEGScanner.exifMarker + exif),
      Pictures.segment(0xE1, JPEGScanner.xmpMarker + packet), piece(1, 1, profile(300)),
    ])
    #expect(metadata.exif == exif)
    #expect(metadata.orientation == .left)
    #expect(metadata.xmp == Data(packet))
    #expect(metadata.iccProfile == Data(profile(300)))
  }

  @Test func anAppliedOrientationIsNotStatedAgain() throws {
    let exif = EXIF(orientation: .left).bytes
    let file = try Pictures.inserting(
      [Pictures.segment(0xE1, JPEGScanner.exifMarker + exif)], into: Pictures.file(Image(Pictures.corners(16, 8))))
    let image = try Pictures.decode(file)
    #expect(image.size == PixelSize(width: 8, height: 16))
    #expect(image.metadata.orientation == .up)
    #expect(image.metadata.exif.flatMap(EXIF.init)?.orientation == .up)
    let header = try JPEGCoder().probe(file, work: WorkContext())
    #expect(header.orientation == .left && header.exifBytes == exif.count)
  }

  @Test func aProfileIsPutTogetherInTheOrderOfItsNumbers() throws {
    let all = profile(900)
    let metadata = try read([
      piece(3, 3, Array(all[600...])), piece(1, 3, Array(all[..<300])), piece(2, 3, Array(all[300..<600])),
    ])
    #expect(metadata.iccProfile == Data(all))
  }

  @Test func aDamagedSequenceIsUsedWhereItsLengthIsRight() throws {
    let all = profile(900)
    let halves = [Array(all[..<500]), Array(all[500...])]
    #expect(try read([piece(1, 3, halves[0]), piece(1, 3, halves[1])]).iccProfile == Data(all))
    #expect(try read([piece(0, 0, halves[0]), piece(1, 0, halves[1])]).iccProfile == Data(all))
    #expect(try read([piece(1, 2, halves[0])]).iccProfile == nil)
    #expect(try read([piece(2, 2, halves[1])]).iccProfile == nil)
    #expect(try read([piece(1, 1, [])]).iccProfile == nil)
  }

  @Test func densityIsThatOfJFIFOrOfEXIF() throws {
    var image = try Image(Pictures.corners(16, 16))
    image.metadata.density = ImageMetadata.Density(horizontal: 300, vertical: 150)
    let file = try Pictures.array(Pictures.file(image) { $0.keepsMetadata = true })
    #expect(try Pictures.decode(ImageBytes(file)).metadata.density == image.metadata.density)
    // One density in centimetres, and one ratio without a unit.
    var other = file
    let place = try #require((0..<file.count).first { file[$0...].starts(with: "JFIF".utf8) }) + 7
    other[place] = 2
    let metric = try Pictures.decode(ImageBytes(other)).metadata.density
    #expect(abs((metric?.horizontal ?? 0) - 762) < 0.01)
    other[place] = 0
    #expect(try Pictures.decode(ImageBytes(other)).metadata.density == nil)
    let exif: [UInt8] =
      [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 2] + [1, 0x1A, 0, 5, 0, 0, 0, 1, 0, 0, 0, 38]
      + [1, 0x1B, 0, 5, 0, 0, 0, 1, 0, 0, 0, 38] + [0, 0, 0, 0] + [0, 0, 0, 144, 0, 0, 0, 2]
    let inserted = try Pictures.inserting(
      [Pictures.segment(0xE1, JPEGScanner.exifMarker + exif)], into: ImageBytes(other))
    #expect(try Pictures.decode(inserted).metadata.density == ImageMetadata.Density(horizontal: 72, vertical: 72))
  }

  @Test func segmentsOfNoInterestAndPaddingAreSteppedOver() throws {
    let long = Pictures.segment(0xED, [UInt8](repeating: 0xFF, count: 65_533))
    let file = try Pictures.file(Image(Pictures.corners(16, 16)))
    let padded = try Pictures.inserting(
      [long, [UInt8](repeating: 0xFF, count: 3000), long, [1, 2, 3, 0xFF, 0, 0xFF, 0x01], long, long, long], into: file)
    #expect(padded.count > 256 << 10)
    #expect(try Pictures.decode(padded).bitmap == Pictures.decode(file).bitmap)
    #expect(try Pictures.inPieces(padded, of: 3000).image.bitmap == Pictures.decode(file).bitmap)
  }

  @Test(arguments: ImageMetadata.Orientation.allCases)
  func theOrientationOfXMPCountsWhereEXIFHasNone(orientation: ImageMetadata.Orientation) throws {
    let value = "\(orientation.rawValue)"
    let silent = Pictures.segment(0xE1, JPEGScanner.exifMarker + [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 0])
    let down = Pictures.segment(0xE1, JPEGScanner.exifMarker + EXIF(orientation: .down).bytes)
    let plain = try Pictures.file(Image(Pictures.corners(16, 8)))
    let stored = try Pictures.decode(plain).bitmap
    for text in [
      "<d xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:Orientation='\(value)'/>",
      "<d xmlns:tiff='http://ns.adobe.com/tiff/1.0/'><tiff:Orientation>\(value)</tiff:Orientation></d>",
    ] {
      let xmp = Pictures.segment(0xE1, JPEGScanner.xmpMarker + Array(text.utf8))
      for segments in [[xmp], [silent, xmp], [xmp, silent]] {
        let file = try Pictures.inserting(segments, into: plain)
        #expect(try JPEGCoder().probe(file, work: WorkContext()).orientation == orientation)
        let image = try Pictures.decode(file)
        #expect(try image.bitmap == stored.oriented(orientation) && image.metadata.orientation == .up)
        #expect(image.metadata.xmp.map { XMP($0).orientation } == .up)
        #expect(try Pictures.inPieces(file, of: 50).image.bitmap == image.bitmap)
        // The rewritten picture stays upright, and a picture that was not turned keeps its orientation.
        let again = try Pictures.file(image) { $0.keepsMetadata = true }
        #expect(try JPEGCoder().probe(again, work: WorkContext()).orientation == .up)
        let kept = try Pictures.decode(file) { $0.appliesOrientation = false }
        #expect(kept.bitmap == stored && kept.metadata.orientation == orientation)
        let turned = try Pictures.file(kept) { $0.keepsMetadata = true }
        #expect(try JPEGCoder().probe(turned, work: WorkContext()).orientation == orientation)
      }
      let both = try Pictures.decode(Pictures.inserting([xmp, down], into: plain))
      #expect(try both.bitmap == stored.oriented(.down))
    }
  }
}
