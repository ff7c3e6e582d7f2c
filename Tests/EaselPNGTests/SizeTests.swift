import EaselCoding
import EaselCore
import EaselTestPixels
import Testing

@testable import EaselPNG

/// The size, read without the rest of the file.
struct SizeTests {
  private let coder = PNGCoder()

  private func size(_ bytes: [UInt8], _ work: WorkContext = WorkContext()) throws -> PixelSize {
    try coder.storedSize(of: ImageBytes(bytes), work: work)
  }

  @Test func nothingBehindTheHeaderIsRead() throws {
    let still = try HandmadePNG.still(3, 2)
    let beginning = Array(HandmadePNG.file(still).prefix(33))
    let expected = PixelSize(width: 3, height: 2)
    #expect(try size(beginning) == expected)
    #expect(try size(beginning + [UInt8](repeating: 255, count: 40)) == expected)
    #expect(throws: ImageError.self) { try coder.probe(ImageBytes(beginning), work: WorkContext()) }
    let bytes = try HandmadePNG.moving(frames: 10_000)
    var scanner = PNGScanner(limits: Limits())
    try scanner.advance(over: ImageBytes(bytes), isWhole: true, needsSizeOnly: true, work: WorkContext())
    #expect(scanner.steps == 1 && scanner.file?.header.size == PixelSize(width: 2, height: 1))
  }

  @Test func theOrientationBehindThePixelsIsLeftToTheHeader() throws {
    var chunks = try HandmadePNG.still(3, 2)
    chunks.insert((.exif, Array(EXIF(orientation: .right).bytes)), at: chunks.count - 1)
    let bytes = HandmadePNG.file(chunks)
    let header = try coder.probe(ImageBytes(bytes), work: WorkContext())
    #expect(header.uprightSize == PixelSize(width: 2, height: 3))
    #expect(try size(bytes) == header.storedSize)
  }

  @Test func aHeaderThatIsNoneIsAnError() throws {
    let bytes = try HandmadePNG.file(HandmadePNG.still(3, 2))
    for count in 0..<33 {
      let error = #expect(throws: ImageError.self) { try size(Array(bytes.prefix(count))) }
      #expect(error?.code == .badImageData && error?.message.hasPrefix("PNG: ") == true, "\(count) bytes")
    }
    for index in 0..<33 {
      var damaged = bytes
      damaged[index] ^= 1
      #expect(throws: ImageError.self, "byte \(index)") { try size(damaged) }
    }
  }

  @Test func limitsAndCancellationHold() throws {
    let bytes = try HandmadePNG.file(HandmadePNG.still(3, 2))
    var limits = Limits()
    limits.side = 2
    let error = #expect(throws: ImageError.self) { try size(bytes, WorkContext(limits: limits)) }
    #expect(error?.code == .limitExceeded)
  }
}
