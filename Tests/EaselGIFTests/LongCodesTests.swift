import EaselCore
import EaselTestPixels
import Testing

@testable import EaselGIF

/// Full code tables that are not cleared, and first codes that are longer than the colours need.
struct LongCodesTests {
  private let coder = GIFCoder()

  /// Noise of four colours, which fills every table of codes.
  private func indices(_ count: Int) -> [UInt8] {
    var random = SeededRandom(seed: 7)
    return (0..<count).map { _ in UInt8.random(in: 0..<4, using: &random) }
  }

  private func file(_ width: Int, _ height: Int, codeSize: Int, data: [UInt8]) -> [UInt8] {
    var file = HandmadeGIF(screen: PixelSize(width: width, height: height))
    let rect = PixelRect(x: 0, y: 0, width: width, height: height)
    file.frames = [HandmadeGIF.Frame(rect: rect, indices: [], codeSize: codeSize, data: data)]
    return file.bytes
  }

  private func colors(_ bitmap: Bitmap) -> [UInt8] {
    bitmap.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map { start in
        UInt8(HandmadeGIF.colors.firstIndex { $0.elementsEqual(bytes[start..<start + 3]) } ?? 9)
      }
    }
  }

  @Test(arguments: 2...11)
  func aFullTableIsUsedWithoutBeingCleared(codeSize: Int) throws {
    let indices = indices(200 * 150)
    let bytes = file(200, 150, codeSize: codeSize, data: LZWWriter.data(indices, codeSize: codeSize))
    let image = try coder.decode(ImageBytes(bytes), options: DecodeOptions(), work: WorkContext())
    #expect(colors(image.bitmap) == indices)
    let decoder = try #require(try coder.makeDecoder(prefix: bytes, options: DecodeOptions(), work: WorkContext()))
    try feed(bytes, inPiecesOf: 97) { try decoder.update($0) }
    #expect(try decoder.finish(ImageBytes(bytes)).bitmap == image.bitmap)
  }

  /// Codes of twelve bits.
  private func packed(_ codes: [Int]) -> [UInt8] {
    let bits = codes.flatMap { code in (0..<12).map { code >> $0 & 1 } } + [0, 0, 0, 0]
    return stride(from: 0, to: bits.count / 8 * 8, by: 8).map { start in
      (0..<8).reduce(0) { $0 | UInt8(bits[start + $1]) << UInt8($1) }
    }
  }

  @Test(arguments: [[2048, 1, 256], [2048, 300, 1], [2048, 1, 2047], [2048, 1, 4000]])
  func aCodeThatStandsForNoColourMeansNothing(codes: [Int]) {
    let bytes = file(3, 1, codeSize: 11, data: packed(codes + [2049]))
    let error = #expect(throws: ImageError.self) {
      try coder.decode(ImageBytes(bytes), options: DecodeOptions(), work: WorkContext())
    }
    #expect(error?.message == "GIF: the pixels contain an invalid code.")
  }

  @Test func codesOfTwelveBitsFromTheFirstOnAreRead() throws {
    let bytes = file(3, 1, codeSize: 11, data: packed([2048, 1, 2, 3, 2049]))
    let image = try coder.decode(ImageBytes(bytes), options: DecodeOptions(), work: WorkContext())
    #expect(colors(image.bitmap) == [1, 2, 3])
  }
}
