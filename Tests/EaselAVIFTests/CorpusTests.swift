import EaselCore
import EaselTestCorpus
import Testing

@testable import EaselAVIF

/// Every AVIF of the corpus gives the result of its manifest.
@Suite(.enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  private let checks = CorpusChecks(AVIFCoder(), format: "avif", isUpright: true, corpus: Corpus.otherFormats!)

  @Test func everyFileThatMustDecodeGivesItsPixels() {
    #expect(checks.entries(.decode).count > 170)
    #expect(checks.pictures() == [])
  }

  @Test func everyMovingFileGivesItsFrames() { #expect(checks.movingPictures(plays: nil) == []) }

  @Test func everyDamagedFileIsAnErrorOrAPart() { #expect(checks.damagedPictures() == []) }

  @Test func noMetadataAreOverlooked() {
    let (findings, cleanFiles) = checks.metadata()
    #expect(findings == [])
    #expect(cleanFiles > 50)
  }

  @Test func fromAFileEveryPictureIsTheSame() { #expect(checks.readFromFiles() == []) }

  @Test func cutAnywhereNoFileDoesHarm() { #expect(checks.cuts() == []) }
}
