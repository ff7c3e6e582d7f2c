import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselGIF

/// The growth of the work with the number of blocks and frames in a file, and its bound.
struct ScannerTests {
  private let coder = GIFCoder()

  private func file(frames count: Int) -> HandmadeGIF {
    var file = HandmadeGIF(screen: PixelSize(width: 2, height: 1), repeats: 0)
    file.frames = (0..<count).map { index in
      HandmadeGIF.Frame(
        rect: PixelRect(x: index % 2, y: 0, width: 1, height: 1), indices: [UInt8(index % 3)], control: (0, 5, 3))
    }
    return file
  }

  @Test func tenThousandFramesInSmallPiecesAreWalkedOverOnce() throws {
    let bytes = file(frames: 10_000).bytes
    var scanner = GIFScanner(limits: Limits())
    var updates = 0
    var rows: [GIFFile] = []
    try feed(bytes, inPiecesOf: 60) { bytes in
      try scanner.advance(over: bytes, isWhole: false, work: WorkContext())
      updates += 1
      if let file = scanner.file { rows.append(file) }
    }
    #expect(scanner.file?.frames.count == 10_000)
    // Each frame and each control block begins and ends, and each piece costs one attempt too many.
    #expect(scanner.steps <= 4 * 10_000 + 2 * updates + 10)
    #expect(rows.allSatisfy { $0.frames.sharesList(with: scanner.file!.frames) })
  }

  @Test func aPreviewOfEachPieceShowsTheFramesThatAreWhole() throws {
    let bytes = file(frames: 10_000).bytes
    let decoder = try #require(try coder.makeDecoder(prefix: bytes, options: DecodeOptions(), work: WorkContext()))
    var counts: [Int] = []
    try feed(bytes, inPiecesOf: 200) { bytes in
      try decoder.update(bytes)
      if let frames = try decoder.preview()?.frames { counts.append(frames.count) }
    }
    #expect(counts.count > 1000 && counts == Set(counts).sorted() && counts.last! >= 9_990)
    let image = try decoder.finish(ImageBytes(bytes))
    #expect(image.frames?.count == 10_000)
    #expect(try image.frames?.frame(at: 9_999).components(1, 0) == HandmadeGIF.colors[0].map(Int.init) + [255])
  }

  @Test func fullSubBlocksAreNoneTooMany() throws {
    var file = file(frames: 1)
    file.blocks = [[0x21, 0xFE] + HandmadeGIF.subBlocks(Array(repeating: 65, count: 255 * 300)) + [0]]
    var limits = Limits()
    limits.blocks = 100
    #expect(throws: Never.self) { try coder.probe(ImageBytes(file.bytes), work: WorkContext(limits: limits)) }
  }

  @Test func theBytesOfAFileGiveTheSame() throws {
    var file = file(frames: 300)
    file.blocks = [[0x21, 0xFE] + HandmadeGIF.subBlocks(Array(repeating: 65, count: 200_000)) + [0]]
    let bytes = file.bytes
    let path = "/tmp/easel-gif-\(UInt64.random(in: 0 ... .max)).gif"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let stored = try coder.probe(ImageBytes(contentsOfFile: path), work: WorkContext())
    #expect(stored == (try coder.probe(ImageBytes(bytes), work: WorkContext())))
    #expect(stored.frameCount == 300)
  }

  @Test func framesLargerThanTheCanvasCountAsTheyAre() throws {
    var file = file(frames: 3)
    for index in 0..<3 { file.frames[index].rect = PixelRect(x: 0, y: 0, width: 100, height: 100) }
    var limits = Limits()
    limits.totalPixels = 29_999
    let bytes = ImageBytes(file.bytes)
    let error = #expect(throws: ImageError.self) {
      try coder.decode(bytes, options: DecodeOptions(damaged: .show), work: WorkContext(limits: limits))
    }
    #expect(error?.code == .limitExceeded && error?.message.contains("Limits.totalPixels") == true)
    #expect(throws: Never.self) { try coder.probe(bytes, work: WorkContext(limits: limits)) }
    limits.totalPixels = 30_000
    #expect(throws: Never.self) {
      try coder.decode(bytes, options: DecodeOptions(damaged: .show), work: WorkContext(limits: limits))
    }
  }

  @Test func aMillionBlocksIsTheLimit() { #expect(Limits().blocks == 1_000_000) }
}
