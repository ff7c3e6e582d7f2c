import EaselCore
import EaselTestPixels
import Testing

@testable import EaselAVIF

/// Files that are cut, changed or made to do harm.
struct DamageTests {
  private typealias T = AVIFTesting

  @Test func sizesAreCheckedBeforeAnythingIsDecoded() throws {
    let bytes = try T.encode(Image(Bitmap.noise(12, 10, .rgba8))).array
    for (width, height, code) in [
      (65_536, 10, ImageError.Code.limitExceeded), (60_000, 60_000, .limitExceeded), (0, 10, .badImageData),
      (Int(UInt32.max), Int(UInt32.max), .limitExceeded),
    ] {
      let sides = [width, height].flatMap { side in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) } }
      let lying = T.replacing("ispe", by: sides, after: 8, in: bytes)
      #expect(lying != bytes)
      for read in [{ _ = try T.decode($0) }, { _ = try T.probe($0) }] as [(ImageBytes) throws -> Void] {
        let error = #expect(throws: ImageError.self) { try read(ImageBytes(lying)) }
        #expect(error?.code == code, "\(width)x\(height): \(error as Any)")
      }
    }
  }

  /// A file whose items take their bytes from the same place again and again.
  @Test func itemsThatRepeatTheFileAreRefused() throws {
    let extents = Array(repeating: T.number(0, 4) + T.number(1000, 4), count: 500).flatMap { $0 }
    let places =
      T.number(0, 4) + T.number(0x4400, 2) + T.number(1, 2) + T.number(1, 2) + T.number(0, 2) + T.number(500, 2)
    let file =
      T.box("ftyp", Array("avif\0\0\0\0avifmif1".utf8))
      + T.box("meta", T.number(0, 4) + T.box("pitm", T.number(0, 4) + T.number(1, 2)) + T.box("iloc", places + extents))
    let error = #expect(throws: ImageError.self) { try T.decode(ImageBytes(file)) }
    #expect(error?.code == .badImageData && error?.message.contains("put together from 500000 bytes") == true)
  }

  /// Entries of no bytes, of which a small file can claim billions.
  @Test func entriesWithoutBytesAreBounded() throws {
    let entry = T.number(1, 2) + T.number(0, 2) + T.number(65_535, 2)
    let places =
      T.number(0, 4) + T.number(0, 2) + T.number(1000, 2) + Array(repeating: entry, count: 1000).flatMap { $0 }
    let file =
      T.box("ftyp", Array("avif\0\0\0\0avifmif1".utf8))
      + T.box("meta", T.number(0, 4) + T.box("pitm", T.number(0, 4) + T.number(1, 2)) + T.box("iloc", places))
    let error = #expect(throws: ImageError.self) { try T.decode(ImageBytes(file)) }
    #expect(error?.code == .limitExceeded)
  }
}
