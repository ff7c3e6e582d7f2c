import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselAVIF

/// Files that are cut, changed or made to do harm.
struct DamageTests {
  private typealias T = AVIFTesting

  private func small(moves: Bool = false) throws -> [UInt8] {
    // Each byte of a file costs several decodes of all its frames.
    var image = try moves ? T.moving(.rgba8, width: 12, height: 9).image : Image(Bitmap.noise(12, 10, .rgba8))
    image.metadata.exif = EXIF(orientation: .up).bytes
    image.metadata.xmp = Data("<x:xmpmeta/>".utf8)
    return try T.encode(image) { $0.keepsMetadata = true }.array
  }

  @Test(arguments: [false, true])
  func cutAtEveryByteItNeverPassesForWhole(moves: Bool) throws {
    let bytes = try small(moves: moves)
    let whole = try T.decode(ImageBytes(bytes))
    for count in 0..<bytes.count {
      let cut = ImageBytes(Array(bytes[..<count]))
      #expect(throws: ImageError.self, "\(count)") { try T.decode(cut) { $0.damaged = .refuse } }
      let image = try? T.decode(cut)
      // Only what no picture needs may be missing.
      if let image { #expect(image.bitmap == whole.bitmap && image.frames?.count == whole.frames?.count, "\(count)") }
      guard let part = try? T.decode(cut, { $0.damaged = .show }) else { continue }
      #expect(part.traits.contains(.partial) || image != nil, "\(count)")
      if let frames = part.frames {
        for index in 0..<frames.count { _ = try? frames.frame(at: index) }
      }
      #expect(try T.coder.metadataBytes(of: cut, work: WorkContext()) == nil)
    }
  }

  @Test(arguments: [false, true])
  func everyByteMayBeWrong(moves: Bool) throws {
    for damaged in try WrongBytes(of: small(moves: moves)) {
      let image = try? T.decode(ImageBytes(damaged), work: WorkContext(limits: Limits(framePixels: 1 << 16))) {
        $0.damaged = .show
      }
      if let frames = image?.frames { _ = try? frames.frame(at: frames.count - 1) }
      _ = try? T.coder.metadataBytes(of: ImageBytes(damaged), work: WorkContext())
    }
  }

  @Test func sizesAreCheckedBeforeAnythingIsDecoded() throws {
    let bytes = try small()
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

  @Test func limitsBind() throws {
    let bytes = try ImageBytes(small())
    let limits = [Limits(side: 11), Limits(framePixels: 119), Limits(metadataBytes: 20)]
    for limits in limits {
      let error = #expect(throws: ImageError.self) { try T.decode(bytes, work: WorkContext(limits: limits)) }
      #expect(error?.code == .limitExceeded && error?.message.hasPrefix("AVIF: ") == true)
    }
  }

  @Test func manyBoxesAreRefused() throws {
    let boxes = Array(repeating: [0, 0, 0, 8] + Array("free".utf8), count: 50).flatMap { $0 }
    var limits = Limits()
    limits.blocks = 40
    let error = #expect(throws: ImageError.self) {
      try T.decode(ImageBytes(small() + boxes), work: WorkContext(limits: limits))
    }
    #expect(error?.code == .limitExceeded)
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

  @Test func nothingIsNoPicture() throws {
    for bytes in [[], [0], Array(try small().prefix(16)), Array("<svg/>".utf8)] as [[UInt8]] {
      let error = #expect(throws: ImageError.self) { try T.decode(ImageBytes(bytes)) }
      #expect(error?.code == .badImageData && error?.message.hasPrefix("AVIF: ") == true)
    }
  }

  @Test func damagedEXIFDoesNotHideThePicture() throws {
    var bytes = try small()
    let place = try #require(bytes.firstRange(of: Array(EXIF(orientation: .up).bytes))).lowerBound
    bytes.replaceSubrange(place..<place + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
    let image = try T.decode(ImageBytes(bytes))
    #expect(image.size == PixelSize(width: 12, height: 10) && image.metadata.exif == nil)
  }

  @Test func aCancelledDecodeStops() throws {
    let bytes = try ImageBytes(small())
    let error = #expect(throws: ImageError.self) { try T.decode(bytes, work: WorkContext(isCancelled: true)) }
    #expect(error?.isCancellation == true)
  }
}
