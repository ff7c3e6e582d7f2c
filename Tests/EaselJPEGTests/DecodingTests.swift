import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Glibc
import Testing

@testable import EaselJPEG

struct DecodingTests {
  @Test func theSignatureIsThreeBytes() {
    #expect(JPEGCoder().canDecode(prefix: [0xFF, 0xD8, 0xFF]))
    #expect(!JPEGCoder().canDecode(prefix: [0xFF, 0xD8]))
    #expect(!JPEGCoder().canDecode(prefix: [0xFF, 0xD8, 0]))
    #expect(!JPEGCoder().canDecode(prefix: []))
  }

  @Test func probingReadsTheHeaderOnly() throws {
    let file = try Pictures.array(Pictures.file(Image(Pictures.corners(64, 40))))
    // The bytes after the scan header do not matter.
    let scan = try #require((0..<file.count - 1).first { file[$0] == 0xFF && file[$0 + 1] == 0xDA })
    let header = try JPEGCoder().probe(ImageBytes(Array(file[..<(scan + 8)])), work: WorkContext())
    #expect(header.storedSize == PixelSize(width: 64, height: 40))
    #expect(header.format == .jpeg && header.bitDepth == 8 && !header.hasAlpha && header.frameCount == 1)
    #expect(throws: ImageError.self) {
      try JPEGCoder().probe(ImageBytes(Array(file[..<scan])), work: WorkContext())
    }
  }

  /// Compares files of the encoder with the output of the reference program.
  @Test(
    .tags(.alone),
    .enabled(if: Djpeg.isThere, "There is no djpeg here to compare with."),
    arguments: [EncodeOptions.ChromaSubsampling.full, .halfWidth, .quarter], [false, true])
  func pixelsAreThoseOfTheReference(sampling: EncodeOptions.ChromaSubsampling, progressive: Bool) throws {
    let file = try Pictures.file(Image(Bitmap.waves(101, 67))) {
      $0.chromaSubsampling = sampling
      $0.progressive = progressive
    }
    let expected = try #require(try Djpeg.colors(of: file))
    #expect(try Pictures.decode(file).bitmap.colors == expected)
  }

  @Test func greyBecomesColourWithEqualComponents() throws {
    let gray = try Bitmap(33, 9, .gray8) { x, y in [x * 7 + y] }
    let bitmap = try Pictures.decode(Pictures.file(Image(gray)) { $0.quality = 1 }).bitmap
    #expect(bitmap.format == .opaqueRGBA8)
    let components = bitmap.components(20, 5)
    #expect(components[0] == components[1] && components[1] == components[2] && components[3] == 255)
    #expect(abs(components[0] - 145) <= 2)
  }

  // MARK: Orientation

  // MARK: Sizes

  @Test(arguments: [
    (320, 240, 40, 30), (320, 240, 20, 15), (320, 240, 150, 113), (321, 243, 100, 76), (8, 8, 1, 1), (500, 3, 50, 1),
  ])
  func thumbnailsHaveTheirSizeAndLookLikeThePicture(width: Int, height: Int, boxWidth: Int, boxHeight: Int) throws {
    for progressive in [false, true] {
      let file = try Pictures.file(Image(Pictures.corners(width, height))) {
        $0.progressive = progressive
        $0.settings[.jpegEffort] = 1
      }
      let small = try Pictures.decode(file) { $0.thumbnailSize = PixelSize(width: boxWidth, height: boxWidth) }
      #expect(small.size == PixelSize(width: boxWidth, height: boxHeight))
      #expect(small.traits == .thumbnail)
      #expect(small.metadata.storedSize == PixelSize(width: width, height: height))
      let full = try Pictures.decode(file).bitmap.resized(to: small.size, linearLight: true)
      #expect(small.bitmap.signalToNoise(against: full) > 33)
    }
  }

  @Test func theScaleLeavesHalfAsManyPixelsAgain() {
    let size = PixelSize(width: 4000, height: 3000)
    #expect(JPEGScale.forReducing(size, to: PixelSize(width: 320, height: 240)).eighths == 1)
    #expect(JPEGScale.forReducing(size, to: PixelSize(width: 334, height: 250)).eighths == 2)
    #expect(JPEGScale.forReducing(size, to: PixelSize(width: 1300, height: 975)).eighths == 4)
    #expect(JPEGScale.forReducing(size, to: PixelSize(width: 1400, height: 1050)).eighths == 8)
    #expect(JPEGScale.forReducing(size, to: size) == .full)
    // Fidelity takes five times the sides of a small thumbnail, then a little over three times, and at last twice.
    for (side, eighths) in [
      (160, 2), (200, 2), (201, 2), (320, 2), (330, 4), (400, 4), (401, 4), (660, 4), (668, 8), (701, 4), (1000, 4),
      (1001, 8),
    ] {
      var options = DecodeOptions(thumbnailSize: PixelSize(width: side, height: side))
      func scale() -> Int {
        let header = ImageHeader(format: .jpeg, storedSize: size)
        let finish = ImageFinish(header, profile: nil, isGray: false, options: options)
        return JPEGScale.forReducing(size, as: finish).eighths
      }
      #expect(scale() == eighths, "\(side)")
      options.fidelity = .exact
      #expect(scale() == 8)
      options.fidelity = .fast
      #expect(scale() <= eighths)
    }
    #expect(JPEGScale(eighths: 1).applied(to: PixelSize(width: 9, height: 8)) == PixelSize(width: 2, height: 1))
  }

  @Test(arguments: [ImageMetadata.Orientation.up, .right])
  func theLeastSizeThatSufficesIsNotMissed(orientation: ImageMetadata.Orientation) throws {
    var image = try Image(Pictures.corners(320, 240))
    image.metadata.orientation = orientation
    let file = try Pictures.file(image)
    let least = orientation.swapsSides ? PixelSize(width: 60, height: 80) : PixelSize(width: 80, height: 60)
    var options = DecodeOptions()
    options.leastSize = least
    let small = try JPEGCoder().decode(file, options: options, work: WorkContext())
    #expect(small.size == least)
    #expect(small.traits == .thumbnail)
    options.leastSize = PixelSize(width: least.width + 1, height: least.height)
    #expect(try JPEGCoder().decode(file, options: options, work: WorkContext()).size.width == 2 * least.width)
    options.leastSize = nil
    #expect(try JPEGCoder().decode(file, options: options, work: WorkContext()).traits == [])
  }

  // MARK: From a file

  @Test(arguments: [false, true])
  func aFileOfManyWindowsIsReadLikeMemory(progressive: Bool) throws {
    let noise = try Bitmap.noise(700, 900, .opaqueRGBA8)
    let bytes = try Pictures.file(Image(noise)) {
      $0.quality = 0.95
      $0.chromaSubsampling = .full
      $0.progressive = progressive
    }
    #expect(bytes.count > 3 * 256 << 10)
    let path = FileManager.default.temporaryDirectory.path + "/easel-jpeg-\(UInt64.random(in: 0...UInt64.max)).jpg"
    try bytes.data().write(to: URL(filePath: path))
    defer { unlink(path) }
    let file = try ImageBytes(contentsOfFile: path)
    let whole = try Pictures.decode(bytes)
    #expect(try Pictures.decode(file).bitmap == whole.bitmap)
    #expect(try Pictures.inPieces(bytes, of: 100_000).image.bitmap == whole.bitmap)
    let decoder = try #require(
      try JPEGCoder().makeDecoder(prefix: bytes.prefix(64), options: DecodeOptions(), work: WorkContext()))
    try decoder.update(file)
    #expect(try decoder.finish(file).bitmap == whole.bitmap)
    let small = try Pictures.decode(file) { $0.thumbnailSize = PixelSize(width: 90, height: 90) }
    #expect(try small.bitmap == Pictures.decode(bytes) { $0.thumbnailSize = PixelSize(width: 90, height: 90) }.bitmap)
  }
}
