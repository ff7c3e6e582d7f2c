import EaselCore
import EaselTestCorpus
import Testing

@testable import EaselHEIF

/// Every HEIC of the corpus gives the result of its manifest.
@Suite(.enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  private let checks = CorpusChecks(HEIFCoder(), format: "heic", isUpright: true, corpus: Corpus.otherFormats!)

  @Test func everyFileThatMustDecodeGivesItsPixels() {
    #expect(checks.entries(.decode).count > 50)
    #expect(checks.pictures() == [])
  }

  @Test func everyDamagedFileIsAnErrorOrAPart() { #expect(checks.damagedPictures() == []) }

  @Test func everyFileWithoutAPictureIsRefused() { #expect(checks.rejectedFiles(named: "HEIF") == []) }

  @Test func noMetadataAreOverlooked() {
    let (findings, cleanFiles) = checks.metadata()
    #expect(findings == [])
    #expect(cleanFiles > 20)
  }

  @Test func fromAFileEveryPictureIsTheSame() { #expect(checks.readFromFiles() == []) }

  @Test func cutAnywhereNoFileDoesHarm() { #expect(checks.cuts() == []) }
}
