import EaselCoding
import EaselCore
import EaselTestPixels
import Testing

@testable import EaselPNG

/// The size, read without the rest of the file.
struct SizeTests {
  private let coder = PNGCoder()

  private func size(_ bytes: [UInt8]) throws -> PixelSize {
    try coder.storedSize(of: ImageBytes(bytes), work: WorkContext())
  }

  @Test func nothingBehindTheHeaderIsRead() throws {
    var scanner = PNGScanner(limits: Limits())
    let bytes = try ImageBytes(HandmadePNG.moving(frames: 10_000))
    try scanner.advance(over: bytes, isWhole: true, needsSizeOnly: true, work: WorkContext())
    #expect(scanner.steps == 1 && scanner.file?.header.size == PixelSize(width: 2, height: 1))
  }

  @Test func everyByteOfTheHeaderCounts() throws {
    let bytes = try HandmadePNG.file(HandmadePNG.still(3, 2))
    for index in 0..<33 {
      var damaged = bytes
      damaged[index] ^= 1
      #expect(throws: ImageError.self, "byte \(index)") { try size(damaged) }
    }
  }

  @Test func theOrientationBehindThePixelsIsLeftToTheHeader() throws {
    var chunks = try HandmadePNG.still(3, 2)
    chunks.insert((.exif, Array(EXIF(orientation: .right).bytes)), at: chunks.count - 1)
    let bytes = HandmadePNG.file(chunks)
    let header = try coder.probe(ImageBytes(bytes), work: WorkContext())
    #expect(header.uprightSize == PixelSize(width: 2, height: 3))
    #expect(try size(bytes) == header.storedSize)
  }
}
