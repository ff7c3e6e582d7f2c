import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselJXL

struct DecodingTests {
  private typealias T = JXLTesting

  // MARK: Pixels

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
        #expect(try T.decode(bytes) { $0.thumbnailSize = small }.bitmap == whole.resized(to: small, linearLight: true))
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
