import EaselCore
import EaselTestPixels
import Testing

@testable import EaselJPEG

/// The size, read without the rest of the file.
struct SizeTests {
  private func size(_ bytes: [UInt8], _ limits: Limits = Limits()) throws -> PixelSize {
    try Pictures.coder.storedSize(of: ImageBytes(bytes), work: WorkContext(limits: limits))
  }

  private func file() throws -> [UInt8] {
    try Pictures.file(Image(Bitmap.waves(30, 20))).withUnsafeBytes { Array($0) }
  }

  /// The offset behind the frame header.
  private func endOfFrameHeader(_ bytes: [UInt8]) throws -> Int {
    let start = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
    return start + 2 + Int(bytes[start + 2]) << 8 + Int(bytes[start + 3])
  }

  @Test func nothingBehindTheFrameHeaderIsRead() throws {
    let file = try file()
    let beginning = Array(file.prefix(try endOfFrameHeader(file)))
    #expect(try size(beginning) == PixelSize(width: 30, height: 20))
    #expect(try size(beginning + beginning) == PixelSize(width: 30, height: 20))
    #expect(throws: ImageError.self) { try Pictures.coder.probe(ImageBytes(beginning), work: WorkContext()) }
  }

  @Test func aFileThatEndsBeforeIsAnError() throws {
    let file = try file()
    for count in 0..<(try endOfFrameHeader(file)) {
      let error = #expect(throws: ImageError.self) { try size(Array(file.prefix(count))) }
      #expect(error?.code == .badImageData && error?.message.hasPrefix("JPEG: ") == true, "\(count) bytes")
    }
  }

  @Test func limitsHold() throws {
    var limits = Limits()
    limits.side = 4
    let error = #expect(throws: ImageError.self) { try size(file(), limits) }
    #expect(error?.code == .limitExceeded)
  }
}
