import EaselCore
import EaselTestPixels
import Testing

@testable import EaselGIF

/// The size, read without the rest of the file.
struct SizeTests {
  private let coder = GIFCoder()

  private func size(_ bytes: [UInt8]) throws -> PixelSize {
    try coder.storedSize(of: ImageBytes(bytes), work: WorkContext())
  }

  private func file(_ screen: PixelSize) -> HandmadeGIF {
    var file = HandmadeGIF(screen: screen)
    file.frames = [HandmadeGIF.Frame(rect: PixelRect(x: 1, y: 2, width: 2, height: 1), indices: [0, 1])]
    return file
  }

  @Test func aScreenWithoutASideReachesToTheEndOfTheFirstFrame() throws {
    for (width, height) in [(0, 0), (0, 4), (5, 0)] {
      let bytes = file(PixelSize(width: width, height: height)).bytes
      #expect(try size(bytes) == coder.probe(ImageBytes(bytes), work: WorkContext()).storedSize)
      #expect(throws: ImageError.self) { try size(Array(bytes.prefix(13 + 12))) }
    }
    #expect(try size(file(PixelSize(width: 0, height: 0)).bytes) == PixelSize(width: 3, height: 3))
  }
}
