import EaselCore
import EaselTestCorpus
import Testing

@testable import EaselGIF

/// Every GIF of the corpus gives the result of its manifest.
@Suite(.enabled(if: Corpus.shared != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  private let checks = CorpusChecks(GIFCoder(), format: "gif", corpus: Corpus.shared!)

  @Test func everyFileThatMustDecodeGivesItsPixels() {
    #expect(checks.entries(.decode).count > 150)
    #expect(checks.pictures() == [])
  }

  @Test func everyMovingFileGivesItsFrames() {
    #expect(checks.movingPictures { $0.map { $0 == 0 ? 0 : $0 + 1 } ?? 1 } == [])
  }

  @Test func everyDamagedFileIsAnErrorOrAPart() { #expect(checks.damagedPictures() == []) }

  @Test func everyFileWithoutAPictureIsRejected() { #expect(checks.rejectedFiles(named: "GIF") == []) }

  @Test(arguments: [1, 7, 4096])
  func inPiecesEveryFileGivesTheSame(length: Int) { #expect(checks.piecesOf(length) == []) }

  @Test func noMetadataAreOverlooked() {
    let (findings, cleanFiles) = checks.metadata()
    #expect(findings == [])
    #expect(cleanFiles > 50)
  }

  @Test func fromAFileEveryPictureIsTheSame() { #expect(checks.readFromFiles() == []) }

  @Test func cutAnywhereNoFileDoesHarm() { #expect(checks.cuts() == []) }
}
