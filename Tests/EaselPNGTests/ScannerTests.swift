import EaselCore
import EaselTestPixels
import Testing

@testable import EaselPNG

/// The growth of the work with the number of chunks and frames in a file, and its bound.
struct ScannerTests {
  private let coder = PNGCoder()

  @Test func tenThousandFramesInSmallPiecesAreWalkedOverOnce() throws {
    let bytes = try HandmadePNG.moving(frames: 10_000)
    var scanner = PNGScanner(limits: Limits())
    var updates = 0
    var files: [PNGFile] = []
    try feed(bytes, inPiecesOf: 150) { bytes in
      try scanner.advance(over: bytes, isWhole: false, work: WorkContext())
      updates += 1
      if let file = scanner.file { files.append(file) }
    }
    #expect(scanner.file?.frames.count == 10_000)
    // Each chunk costs one step, and each piece one attempt too many.
    #expect(scanner.steps <= 2 * 10_000 + updates + 10)
    #expect(files.allSatisfy { $0.frames.sharesList(with: scanner.file!.frames) })
  }

  @Test func aPreviewOfEachPieceShowsTheFramesThatAreWhole() throws {
    let bytes = try HandmadePNG.moving(frames: 3000)
    let decoder = try #require(try coder.makeDecoder(prefix: bytes, options: DecodeOptions(), work: WorkContext()))
    var counts: [Int] = []
    try feed(bytes, inPiecesOf: 400) { bytes in
      try decoder.update(bytes)
      if let frames = try decoder.preview()?.frames { counts.append(frames.count) }
    }
    #expect(counts.count > 400 && counts == Set(counts).sorted() && counts.last! >= 2990)
    let image = try decoder.finish(ImageBytes(bytes))
    #expect(image.frames?.count == 3000)
    #expect(try image.frames?.frame(at: 2999).components(1, 0) == [90, 0, 0, 255])
  }

  @Test func emptyChunksAmongTheDataOfAFrameEndEarly() throws {
    var chunks = HandmadePNG.chunks(of: try HandmadePNG.moving(frames: 3))
    let flood = Array(repeating: (kind: PNGChunk.Kind("tEXt"), content: [UInt8]()), count: 101)
    chunks.insert(contentsOf: flood, at: chunks.count - 2)
    var limits = Limits()
    limits.blocks = 100
    let error = #expect(throws: ImageError.self) {
      try coder.probe(ImageBytes(HandmadePNG.file(chunks)), work: WorkContext(limits: limits))
    }
    #expect(error?.code == .limitExceeded)
    let image = try coder.decode(
      ImageBytes(HandmadePNG.file(chunks)), options: DecodeOptions(), work: WorkContext())
    #expect(try image.frames?.frame(at: 2).components(0, 0) == [90, 0, 0, 255])
  }

  @Test func moreFramesThanWereClaimedAreNotPlayed() throws {
    let bytes = try HandmadePNG.moving(frames: 9, claimed: 4)
    #expect(try coder.probe(ImageBytes(bytes), work: WorkContext()).frameCount == 1)
    // The same holds for a file that ends too early: the claimed number is compared with the limits.
    var options = DecodeOptions()
    options.damaged = .show
    let cut = ImageBytes(Array(bytes.dropLast(20)))
    let image = try coder.decode(cut, options: options, work: WorkContext())
    // Frames that are not played do not make it a part.
    #expect(image.frames == nil && image.traits == [] && image.metadata.notes.count == 1)
  }

  @Test(arguments: [2_000_000_000, UInt32.max])
  func claimsOfManyFramesAreRefusedFromTheHeader(claimed: UInt32) throws {
    let bytes = try HandmadePNG.moving(frames: 3, claimed: Int(claimed))
    let error = #expect(throws: ImageError.self) { try coder.probe(ImageBytes(bytes), work: WorkContext()) }
    #expect(error?.code == .limitExceeded && error?.message.contains("\(claimed) frames") == true)
  }

  @Test func ofSeveralPacketsOnlyTheFirstIsInflated() throws {
    let still = try HandmadePNG.still(2, 1)
    let broken: [UInt8] = Array("XML:com.adobe.xmp\0".utf8) + [1, 0, 0, 0] + [0x78, 0x9C, 0xFF, 0xFF]
    let plain: [UInt8] = Array("XML:com.adobe.xmp\0".utf8) + [0, 0, 0, 0] + Array("<x/>".utf8)
    let bytes = HandmadePNG.file([still[0], (.text, broken), (.text, plain)] + still[1...])
    let image = try coder.decode(ImageBytes(bytes), options: DecodeOptions(), work: WorkContext())
    #expect(image.metadata.xmp == nil)
  }
}
