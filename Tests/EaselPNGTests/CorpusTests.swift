import EaselCore
import EaselTestCorpus
import Testing

@testable import EaselPNG

/// Every PNG of the corpus gives what its manifest says.
@Suite(.enabled(if: Corpus.shared != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  private let checks = CorpusChecks(
    PNGCoder(), format: "png", corpus: Corpus.shared!, correctedGrids: CorpusTests.correctedGrids)

  // Of these files the manifest has the view of a decoder that contradicts the format. What the format asks for was
  // composed by an independent script.
  private static let correctedGrids: [String: (first: String?, last: String?)] = [
    "apngkit--tRNS_alpha.apng": (
      nil,
      "1b2225272247505f20444d5c1c23262822292b2de3b42df7e1b32ef6232a2c2f"
        + "1b15061cefb218f9f7b817ff221b082200000000372a093857430d590e0b030e"
    ),
    "apngkit--over_previous.apng": (
      nil,
      "2f070031660e006a2a06002c000000006411056d534350a93d41519400040606"
        + "1f1d24452f5c7bb213587b94001b262800050707003e595d003f5a5e00060808"
    ),
    "wuffs--muybridge.apng": (
      nil,
      "d6d6d6ffd8d8d8ffc7c7c7ffddddddffb3b3b3ff878787ff808080ffa8a8a8ff"
        + "b1b1b1ff808080ff838383ffcfcfcfff9f9f9fffa9a9a9ffabababffb2b2b2ff"
    ),
    "pillow--blend_op_over_near_transparent.png": (nil, String(repeating: "00ff00ff", count: 16)),
  ]

  @Test func everyFileThatMustDecodeGivesItsPixels() {
    #expect(checks.entries(.decode).count > 500)
    #expect(checks.pictures() == [])
  }

  @Test func everyMovingFileGivesItsFrames() { #expect(checks.movingPictures { $0 ?? 0 } == []) }

  @Test func everyDamagedFileIsAnErrorOrAPart() { #expect(checks.damagedPictures() == []) }

  @Test func everyFileWithoutAPictureIsRejected() { #expect(checks.rejectedFiles(named: "PNG") == []) }

  @Test(arguments: [1, 7, 4096])
  func inPiecesEveryFileGivesTheSame(length: Int) { #expect(checks.piecesOf(length) == []) }

  @Test func fromAFileEveryPictureIsTheSame() { #expect(checks.readFromFiles() == []) }

  @Test func cutAnywhereNoFileDoesHarm() { #expect(checks.cuts() == []) }

  @Test(arguments: [false, true])
  func wholePicturesAreThoseMadeRowByRow(keeps16Bits: Bool) throws {
    var taken = 0
    for entry in checks.entries(.decode) {
      let bytes = try checks.corpus.bytes(of: entry)
      var scanner = PNGScanner(limits: Limits())
      try scanner.advance(over: bytes, isWhole: true, work: WorkContext())
      let file = try #require(scanner.file)
      var options = checks.rawOptions
      options.keeps16Bits = keeps16Bits
      let picture = try PNGPicture(file, of: bytes, options: options, limits: Limits())
      let fast = try PNGFastPath.bitmap(
        file, from: #require(file.data), dataBytes: file.dataBytes, size: file.header.size, isWide: picture.isWide,
        of: bytes, work: WorkContext())
      guard let fast else { continue }
      taken += 1
      let reader = try picture.makeReader()
      try reader.advance(over: bytes, isWhole: true, work: WorkContext())
      #expect(reader.bitmap == fast, "\(entry)")
    }
    #expect(taken > 300)
  }
}
