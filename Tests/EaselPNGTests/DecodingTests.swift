import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselPNG

struct DecodingTests {
  private typealias T = PNGTesting
  private let coder = PNGCoder()

  private func bytes(_ bitmap: Bitmap, orientation: ImageMetadata.Orientation = .up) throws -> [UInt8] {
    let metadata = ImageMetadata(storedSize: bitmap.size, orientation: orientation)
    return try T.encode(Image(bitmap, metadata: metadata)).array
  }

  @Test func onlyTheWholeSignatureIsRecognised() {
    #expect(coder.canDecode(prefix: PNGScanner.signature + [0]))
    #expect(!coder.canDecode(prefix: Array(PNGScanner.signature.dropLast())))
    #expect(!coder.canDecode(prefix: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0B]))
  }

  @Test func theHeaderIsCheckedBeforeAnythingElse() throws {
    var file = try bytes(Bitmap(1, 1, .white))
    file.replaceSubrange(16..<24, with: [0, 1, 0, 0, 0, 1, 0, 0])
    let sum = PNGChunkWriter().sum(of: Array(file[12..<29]))
    file.replaceSubrange(29..<33, with: sum)
    let error = #expect(throws: ImageError.self) { try coder.probe(ImageBytes(file), work: WorkContext()) }
    #expect(error?.code == .limitExceeded)
    #expect(
      error?.message == "PNG: IHDR claims 65536x65536, over the limit of 65535 pixels a side. "
        + "Raise Limits.side to allow it.")
  }

  @Test(arguments: [ImageMetadata.Orientation.up, .right])
  func ofALargePictureNoMoreIsHeldThanSuffices(orientation: ImageMetadata.Orientation) throws {
    let size = PixelSize(width: 8300, height: 8200)
    var stored = try Bitmap(size: size, format: .gray8)
    stored.fill(.white, in: PixelRect(x: 0, y: 0, width: 4150, height: 8200))
    let file = try bytes(stored, orientation: orientation)
    let least = orientation.swapsSides ? PixelSize(width: 82, height: 100) : PixelSize(width: 100, height: 82)
    let image = try T.decode(ImageBytes(file)) { $0.leastSize = least }
    #expect(image.size == least && image.traits == .thumbnail)
    let (light, dark) = orientation == .up ? ((20, 40), (80, 40)) : ((40, 20), (40, 80))
    #expect(image.bitmap.components(light.0, light.1) == [255, 255, 255, 255])
    #expect(image.bitmap.components(dark.0, dark.1) == [0, 0, 0, 255])
    #expect(try T.decodeInPieces(file, of: file.count) { $0.leastSize = least }.bitmap == image.bitmap)
    // Other pictures are read faster in full.
    let small = try bytes(Bitmap.noise(40, 24, .rgba8), orientation: orientation)
    let whole = try T.decode(ImageBytes(small)) { $0.leastSize = least }
    #expect(whole.traits == [])
  }

  @Test func sixteenBitsAreKeptOnRequestAndRoundedElse() throws {
    let wide = try Bitmap.noise(30, 10, .rgba16)
    let file = try ImageBytes(bytes(wide))
    let kept = try T.decode(file) { $0.keeps16Bits = true }
    #expect(kept.bitmap == wide)
    let narrow = try T.decode(file)
    #expect(narrow.bitmap.format == .rgba8)
    #expect(try narrow.bitmap.largestDifference(from: wide.converted(to: .rgba8)) <= 1)
  }

  @Test(arguments: [1, 3, 4, 6, 11, 12, 14, 16]) func withoutItsLastBytesAPictureIsWhole(missing: Int) throws {
    for format in [PixelFormat.rgba8, .opaqueRGBA8] {
      let whole = try Bitmap.noise(50, 60, format)
      let cut = try ImageBytes(Array(bytes(whole).dropLast(missing)))
      #expect(throws: ImageError.self) {
        try T.decode(cut) { $0.damaged = .refuse }
      }
      for damaged in [DamagePolicy.whole, .show] {
        let image = try T.decode(cut) { $0.damaged = damaged }
        #expect(image.bitmap == whole && image.traits == [] && image.metadata.notes.count == 1)
      }
      #expect(try coder.probe(cut, work: WorkContext()).notes.count == 1)
    }
  }

  @Test func zerosAtItsEndLeaveAPictureWholeOnlyBehindItsPixels() throws {
    let whole = try Bitmap.noise(50, 60, .rgba8)
    let file = try bytes(whole)
    let cleared = ImageBytes(file.dropLast(12) + [UInt8](repeating: 0, count: 500))
    #expect(try T.decode(cleared).bitmap == whole)
    for count in [13, 16, 20, 200] {
      let more = ImageBytes(file.dropLast(count) + [UInt8](repeating: 0, count: count))
      #expect(throws: ImageError.self) { try T.decode(more) }
    }
  }

  @Test func aWrongCheckSumOfPixelsIsAnError() throws {
    var file = try bytes(Bitmap.noise(5, 5, .rgba8))
    file[file.count - 13] ^= 1
    let error = #expect(throws: ImageError.self) {
      try T.decode(ImageBytes(file))
    }
    #expect(error?.message.contains("check sum of IDAT") == true)
  }

  @Test func aProfileThatInflatesWithoutEndIsRefused() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 1, height: 1))
    metadata.iccProfile = Data(count: 4 << 20)
    let bytes = try coder.encode(
      Image(Bitmap(1, 1, .white), metadata: metadata), as: .png, options: EncodeOptions(), work: WorkContext())
    var limits = Limits()
    limits.metadataBytes = 1 << 20
    let error = #expect(throws: ImageError.self) {
      try coder.decode(bytes, options: DecodeOptions(), work: WorkContext(limits: limits))
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test(arguments: ImageMetadata.Orientation.allCases, [false, true])
  func theOrientationOfXMPCountsWhereEXIFHasNone(orientation: ImageMetadata.Orientation, hasEXIF: Bool) throws {
    let bitmap = try Bitmap.noise(12, 7, .rgba8)
    var metadata = ImageMetadata(storedSize: bitmap.size)
    metadata.xmp = Data(
      "<d xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:Orientation='\(orientation.rawValue)'/>".utf8)
    // The writer makes the packet agree with the pixels.
    metadata.orientation = orientation
    if hasEXIF { metadata.exif = EXIF(orientation: .down).bytes }
    var writing = EncodeOptions()
    writing.keepsMetadata = true
    let written = try coder.encode(
      Image(bitmap, metadata: metadata), as: .png, options: writing, work: WorkContext())
    var chunks = HandmadePNG.chunks(of: try written.withUnsafeBytes { Array($0) })
    if !hasEXIF { chunks.removeAll { $0.kind == .exif } }
    for isLate in [false, true] {
      if isLate, let text = chunks.firstIndex(where: { $0.kind == .text }) {
        let moved = chunks.remove(at: text)
        chunks.insert(moved, at: chunks.count - 1)
      }
      let file = HandmadePNG.file(chunks)
      #expect(try coder.probe(ImageBytes(file), work: WorkContext()).orientation == orientation)
      let upright = try bitmap.oriented(orientation)
      let image = try T.decode(ImageBytes(file))
      #expect(image.bitmap == upright && image.metadata.orientation == .up)
      #expect(image.metadata.xmp.map { XMP($0).orientation } == .up)
      #expect(try T.decodeInPieces(file, of: 50).bitmap == upright)
      // The rewritten picture stays upright.
      let again = try coder.encode(image, as: .png, options: writing, work: WorkContext())
      #expect(try T.decode(again).bitmap == upright)
    }
  }

  @Test func anOrientationOfEXIFGoesBeforeThatOfXMP() throws {
    let bitmap = try Bitmap.noise(12, 7, .rgba8)
    let packet = Array("<d xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:Orientation='6'/>".utf8)
    var chunks = HandmadePNG.chunks(of: try bytes(bitmap, orientation: .down))
    chunks.insert((.text, PNGText.xmpKeyword + [0, 0, 0, 0] + packet), at: 1)
    let image = try coder.decode(
      ImageBytes(HandmadePNG.file(chunks)), options: DecodeOptions(), work: WorkContext())
    #expect(try image.bitmap == bitmap.oriented(.down))
  }
}

extension PNGChunkWriter {
  /// The checksum of a chunk's name and content.
  func sum(of bytes: [UInt8]) -> [UInt8] {
    var writer = PNGChunkWriter()
    let name = bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    writer.append(PNGChunk.Kind(code: name), Array(bytes.dropFirst(4)))
    return Array(writer.data.suffix(4))
  }
}
