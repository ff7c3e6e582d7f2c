import EaselCore
import EaselTestCorpus
import Testing

@testable import EaselPNG

/// Every PNG of the corpus gives the result of its manifest.
@Suite(.enabled(if: Corpus.shared != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  private let checks = CorpusChecks(PNGCoder(), format: "png", corpus: Corpus.shared!)

  @Test func everyFileThatMustDecodeGivesItsPixels() {
    #expect(checks.entries(.decode).count > 500)
    #expect(checks.pictures() == [])
  }

  @Test func everyMovingFileGivesItsFrames() { #expect(checks.movingPictures { $0 ?? 0 } == []) }

  @Test func everyDamagedFileIsAnErrorOrAPart() { #expect(checks.damagedPictures() == []) }

  @Test func everyFileWithoutAPictureIsRejected() { #expect(checks.rejectedFiles(named: "PNG") == []) }

  @Test(arguments: [1, 7, 4096])
  func inPiecesEveryFileGivesTheSame(length: Int) { #expect(checks.piecesOf(length) == []) }

  @Test func noMetadataAreOverlooked() {
    let (findings, cleanFiles) = checks.metadata()
    #expect(findings == [])
    #expect(cleanFiles > 300)
  }

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
      let picture = try PNGImage(file, of: bytes, options: options, limits: Limits())
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
