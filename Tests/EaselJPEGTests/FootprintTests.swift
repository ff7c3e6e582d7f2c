import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselJPEG

/// The memory that the header of a file tells.
struct FootprintTests {
  /// Of 64 by 64 pixels.
  private static let rows = 64 * 320 + (200 << 10)
  /// The coefficients of 64 by 64 pixels with half of the colours' rows and columns, as libjpeg-turbo keeps them.
  private static let coefficients = 3 * 4096 / 8 * 9

  private func bytes(_ file: [UInt8]) throws -> Int {
    try #require(JPEGCoder().probe(ImageBytes(file), work: WorkContext()).decoderBytes)
  }

  private func picture(isProgressive: Bool) throws -> [UInt8] {
    try Pictures.array(Pictures.file(Image(Pictures.corners(64, 64))) { $0.progressive = isProgressive })
  }

  @Test func aPictureOfOneScanKeepsRows() throws {
    #expect(try bytes(picture(isProgressive: false)) == Self.rows)
  }

  @Test func scansAreReadWithoutTheirCoefficients() throws {
    let file = try picture(isProgressive: true)
    let scans = try JPEGScanCount.count(in: ImageBytes(file), from: 2, atMost: 200, work: WorkContext()) - 1
    let levels = 3 * 4096 / 12 + min(3 * 4096, 2 * file.count)
    #expect(try bytes(file) == Self.rows + scans * (48 << 10) + levels)
  }

  /// 33 megapixels with all colours were measured to take 26 MB besides their file while it arrived, and 203 MB with
  /// libjpeg-turbo.
  @Test func aLargePictureTakesASmallPartOfItsCoefficients() throws {
    var file = JPEGFile(
      size: PixelSize(width: 7680, height: 4320), bitDepth: 8, kind: .color, isProgressive: true, isArithmetic: false,
      coefficientBytes: 7680 * 4320 * 6, hasUsualSamples: true)
    file.hasSeveralScans = true
    let own = JPEGFootprint(file, hasOwnDecoder: true).bytes(ofFile: 4_800_000, scans: 10)
    #expect((26_000_000...33_000_000).contains(own))
    #expect(JPEGFootprint(file, hasOwnDecoder: false).bytes(ofFile: 4_800_000, scans: 10) > 203_000_000)
  }

  /// Other samplings, arithmetic codes, a sequential picture of several scans, a lost end, and red, green and blue.
  @Test func filesForLibjpegTurboTakeAllCoefficients() throws {
    let file = try picture(isProgressive: true)
    let frame = try #require((0..<file.count - 1).first { file[$0] == 0xFF && file[$0 + 1] == 0xC2 })
    let scan = try #require((0..<file.count - 1).first { file[$0] == 0xFF && file[$0 + 1] == 0xDA })
    func changed(_ change: (inout [UInt8]) -> Void) throws -> Int {
      var file = file
      change(&file)
      return try bytes(file)
    }
    // As many blocks, in groups of 32 by 8 pixels.
    #expect(try changed { $0[frame + 11] = 0x41 } == Self.rows + Self.coefficients)
    #expect(try changed { $0[frame + 1] = 0xCA } == Self.rows + Self.coefficients)
    #expect(try changed { ($0[frame + 1], $0[scan + 4]) = (0xC0, 1) } == Self.rows + Self.coefficients)
    #expect(try changed { $0.removeLast(40) } == Self.rows + Self.coefficients)
    let adobe = Pictures.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0])
    let withAdobe = try Pictures.array(Pictures.inserting([adobe], into: ImageBytes(file)))
    let jfif = try #require((0..<withAdobe.count - 4).first { withAdobe[$0...].starts(with: "JFIF".utf8) })
    #expect(try bytes(withAdobe) < Self.rows + 20 * (48 << 10))
    var colors = withAdobe
    colors[jfif] = 0x58
    #expect(try bytes(colors) == Self.rows + Self.coefficients)
  }

  @Test(arguments: [([0x11], true), ([0x42], true), ([0x22, 0x11, 0x11], true), ([0x12, 0x11, 0x11], true)])
  func usualSamplesAreKnown(factors: [UInt8], expected: Bool) {
    #expect(JPEGFile.hasUsualSamples(frame: frame(factors)) == expected)
  }

  @Test(arguments: [[0x41, 0x11, 0x11], [0x22, 0x21, 0x11], [0x22, 0x11, 0x12], [0x11, 0x11, 0x11, 0x11]])
  func otherSamplesAreLeftToLibjpegTurbo(factors: [UInt8]) {
    #expect(!JPEGFile.hasUsualSamples(frame: frame(factors)))
  }

  private func frame(_ factors: [UInt8]) -> [UInt8] {
    [8, 0, 64, 0, 64, UInt8(factors.count)] + factors.enumerated().flatMap { [UInt8($0.offset), $0.element, 0] }
  }
}
