import EaselCore
import EaselTestPixels
import Testing

@testable import EaselGIF

/// The size, read without the rest of the file.
struct SizeTests {
  private let coder = GIFCoder()

  private func size(_ bytes: [UInt8], _ limits: Limits = Limits()) throws -> PixelSize {
    try coder.storedSize(of: ImageBytes(bytes), work: WorkContext(limits: limits))
  }

  private func file(_ screen: PixelSize) -> HandmadeGIF {
    var file = HandmadeGIF(screen: screen)
    file.frames = [HandmadeGIF.Frame(rect: PixelRect(x: 1, y: 2, width: 2, height: 1), indices: [0, 1])]
    return file
  }

  @Test func nothingBehindTheScreenIsRead() throws {
    let expected = PixelSize(width: 5, height: 4)
    let beginning = Array(file(expected).bytes.prefix(13 + 12))
    #expect(try size(beginning) == expected)
    #expect(try size(beginning + [1, 2, 3]) == expected)
    #expect(throws: ImageError.self) { try coder.probe(ImageBytes(beginning), work: WorkContext()) }
  }

  @Test func aScreenWithoutASideReachesToTheEndOfTheFirstFrame() throws {
    for (width, height) in [(0, 0), (0, 4), (5, 0)] {
      let bytes = file(PixelSize(width: width, height: height)).bytes
      #expect(try size(bytes) == coder.probe(ImageBytes(bytes), work: WorkContext()).storedSize)
      #expect(throws: ImageError.self) { try size(Array(bytes.prefix(13 + 12))) }
    }
    #expect(try size(file(PixelSize(width: 0, height: 0)).bytes) == PixelSize(width: 3, height: 3))
  }

  @Test func aHeaderThatIsNoneIsAnError() {
    let bytes = file(PixelSize(width: 5, height: 4)).bytes
    for count in 0..<25 {
      let error = #expect(throws: ImageError.self) { try size(Array(bytes.prefix(count))) }
      #expect(error?.code == .badImageData && error?.message.hasPrefix("GIF: ") == true, "\(count) bytes")
    }
  }

  @Test func limitsHold() {
    var limits = Limits()
    limits.side = 4
    let error = #expect(throws: ImageError.self) { try size(file(PixelSize(width: 5, height: 4)).bytes, limits) }
    #expect(error?.code == .limitExceeded)
  }
}
