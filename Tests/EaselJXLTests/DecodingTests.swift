import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselJXL

struct DecodingTests {
  private typealias T = JXLTesting

  // MARK: Pixels

  @Test func aThumbnailIsThatOfAllPixels() throws {
    let bytes = try T.encode(Image(T.softAlpha(403, 301)))
    let whole = try T.decode(bytes).bitmap
    for box in [(50, 50), (33, 300), (7, 5), (402, 300)] {
      let small = try T.decode(bytes) { $0.thumbnailSize = PixelSize(width: box.0, height: box.1) }
      #expect(small.traits == .thumbnail)
      #expect(try small.bitmap == whole.resized(to: small.size))
    }
    let stretched = try T.decode(bytes) {
      $0.thumbnailSize = PixelSize(width: 40, height: 100)
      $0.preservesAspectRatio = false
    }
    #expect(try stretched.bitmap == whole.resized(to: PixelSize(width: 40, height: 100)))
    let light = try T.decode(bytes) { $0.scaleDownLimitBytes = 4 * 40 * 30 }
    #expect(light.size.area <= 40 * 30)
  }

  @Test(arguments: [true, false])
  func aLargePictureIsMadeAsSmallAsSuffices(isTurned: Bool) throws {
    let picture = LargePicture(isTurned: isTurned)
    let bytes = try T.encode(picture.image) { $0.settings[.jxlEffort] = 1 }
    #expect(try picture.faults(of: T.coder, reading: bytes) == [])
  }

  @Test func theProfileIsUsed() throws {
    let bitmap = try Bitmap(8, 8, PixelColor(red: 128, green: 128, blue: 128), .opaqueRGBA8)
    var metadata = ImageMetadata(storedSize: bitmap.size)
    metadata.iccProfile = linearProfile()
    let bytes = try T.encode(Image(bitmap, metadata: metadata), T.lossless)
    #expect(try T.decode(bytes).bitmap.components(4, 4)[0] > 180)
    #expect(try T.decode(bytes).metadata.iccProfile == nil)
    let raw = try T.decode(bytes) { $0.convertsColor = false }
    #expect(raw.bitmap == bitmap && raw.metadata.iccProfile == metadata.iccProfile)
  }

  @Test(arguments: [(16, 9), (18, 9)])
  func ofHighRangeTheDefaultIsEightBits(transfer: Int, primaries: Int) throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 40, height: 30))
    metadata.color = ColorDescription(coding: ColorDescription.Coding(primaries: primaries, transfer: transfer))
    let bytes = try T.encode(Image(Bitmap.waves(40, 30), metadata: metadata))
    let image = try T.decode(bytes)
    #expect(image.bitmap.format == .opaqueRGBA8 && image.metadata.color == nil)
    #expect(try T.decode(bytes) { $0.keeps16Bits = true }.bitmap.format.layout == .rgba16)
  }

  /// Boxes of extended size, in which libjxl looks for the kind at the wrong place.
  @Test(arguments: [false, true])
  func boxesMayStateTheirSizeInEightBytes(moves: Bool) throws {
    let image = try moves ? T.moving(.rgba8).image : Image(T.softAlpha(120, 90))
    let codestream = try T.encode(image, T.lossless).array
    let type: [UInt8] = [0, 0, 0, 20] + Array("ftypjxl \0\0\0\0jxl ".utf8)
    func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
      let size = content.count + 16
      return [0, 0, 0, 1] + Array(name.utf8) + (0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * $0)) }
        + content
    }
    let xmp = box("xml ", Array("<x:xmpmeta/>".utf8))
    let bytes = ImageBytes(JXLSignature.container + type + xmp + box("jxlc", codestream))
    let read = try T.decode(bytes)
    #expect(read.bitmap == image.bitmap && read.frames?.count == image.frames?.count)
    #expect(read.metadata.xmp == Data("<x:xmpmeta/>".utf8))
    #expect(try T.coder.metadataBytes(of: bytes, work: WorkContext()) == xmp.count)
    let decoder = try #require(
      try T.coder.makeDecoder(prefix: bytes.prefix(64), options: DecodeOptions(), work: WorkContext()))
    let all = try bytes.array
    for count in [40, 90, all.count / 2, all.count - 1] { try decoder.update(ImageBytes(Array(all[..<count]))) }
    #expect(try decoder.finish(bytes).bitmap == image.bitmap)
  }

  // MARK: Turns

  @Test func theOrientationOfEXIFIsIgnored() throws {
    let bitmap = try Bitmap.noise(40, 20, .opaqueRGBA8)
    var metadata = ImageMetadata(storedSize: bitmap.size)
    metadata.exif = EXIF(orientation: .up).bytes
    var bytes = try T.encode(Image(bitmap, metadata: metadata)) {
      $0.lossless = true
      $0.keepsMetadata = true
    }.array
    let block = Array(EXIF(orientation: .up).bytes)
    let place = try #require(bytes.firstRange(of: block)).lowerBound
    bytes.replaceSubrange(place..<place + block.count, with: EXIF(orientation: .right).bytes)
    for applies in [true, false] {
      let image = try T.decode(ImageBytes(bytes)) { $0.appliesOrientation = applies }
      #expect(image.bitmap == bitmap && image.metadata.orientation == .up)
      #expect(image.metadata.exif.flatMap(EXIF.init)?.orientation == .up)
    }
    #expect(try T.probe(ImageBytes(bytes)).orientation == .up)
  }

  // MARK: Signatures

  @Test func bothSignaturesAreRecognised() {
    let container: [UInt8] = [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
    for prefix in [[0xFF, 0x0A, 0x00], container, container + [1, 2]] { #expect(T.coder.canDecode(prefix: prefix)) }
    for prefix in [[], [0xFF], [0xFF, 0x0A], [0xFF, 0xD8, 0xFF], container.dropLast()] as [[UInt8]] {
      #expect(!T.coder.canDecode(prefix: prefix))
    }
  }

  // MARK: Threads

  @Test func rowsInOrderAreTheSameHoweverTheyArrive() throws {
    // Large enough for several threads, whose groups of rows overtake one another.
    let bitmap = try Bitmap.waves(1300, 1100)
    for isLossless in [true, false] {
      let bytes = try T.encode(Image(bitmap)) { $0.lossless = isLossless }
      let whole = try T.decode(bytes).bitmap
      let small = PixelSize(width: 130, height: 110)
      for _ in 0..<3 {
        #expect(try T.decode(bytes) { $0.thumbnailSize = small }.bitmap == whole.resized(to: small))
      }
    }
  }

  @Test func aDecodeWhoseTimeIsOverStops() throws {
    let bytes = try T.encode(Image(Bitmap.waves(1300, 1100)))
    var limits = Limits()
    limits.decodeTime = .zero
    let error = #expect(throws: ImageError.self) { try T.decode(bytes, work: WorkContext(limits: limits)) }
    #expect(error?.code == .limitExceeded)
  }
}
