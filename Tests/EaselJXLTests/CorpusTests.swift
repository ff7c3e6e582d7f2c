import EaselCore
import EaselTestCorpus
import Testing

@testable import EaselJXL

/// Every JPEG XL of the corpus gives the result of its manifest.
@Suite(.enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  private let checks = CorpusChecks(JXLCoder(), format: "jxl", isUpright: true, corpus: Corpus.otherFormats!)

  @Test func everyFileThatMustDecodeGivesItsPixels() {
    #expect(checks.entries(.decode).count > 45)
    #expect(checks.pictures() == [])
  }

  @Test func everyMovingFileGivesItsFrames() { #expect(checks.movingPictures(plays: { $0 ?? 0 }) == []) }

  @Test func everyDamagedFileIsAnErrorOrAPart() { #expect(checks.damagedPictures() == []) }

  @Test func filesWithoutAPictureAreRefused() { #expect(checks.rejectedFiles(named: "JXL") == []) }

  @Test func noMetadataAreOverlooked() {
    let (findings, cleanFiles) = checks.metadata()
    #expect(findings == [])
    #expect(cleanFiles > 20)
  }

  @Test func fromAFileEveryPictureIsTheSame() { #expect(checks.readFromFiles() == []) }

  @Test func cutAnywhereNoFileDoesHarm() { #expect(checks.cuts() == []) }
}
