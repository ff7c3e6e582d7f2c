import EaselCore
import EaselTestCorpus
import Testing

@testable import EaselTIFF

/// Every TIFF of the corpus gives the result of its manifest.
@Suite(.enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  private let checks = CorpusChecks(TIFFCoder(), format: "tiff", corpus: Corpus.otherFormats!)

  @Test func everyFileThatMustDecodeGivesItsPixels() {
    #expect(checks.entries(.decode).count > 180)
    #expect(checks.pictures() == [])
  }

  @Test func everyDamagedFileIsAnErrorOrAPart() { #expect(checks.damagedPictures() == []) }

  @Test func everyFileWithoutAPictureIsRejected() { #expect(checks.rejectedFiles(named: "TIFF") == []) }

  @Test func noMetadataAreOverlooked() {
    // Both claim strips that are longer than the file.
    let (findings, cleanFiles) = checks.metadata(unknown: [
      "tiff/photo/metadata-extractor--d664a73588796b59191ad8628065f04a.tif",
      "tiff/valid/pillow--tiff_wrong_bits_per_sample.tiff",
    ])
    #expect(findings == [])
    #expect(cleanFiles > 20)
  }

  @Test func fromAFileEveryPictureIsTheSame() { #expect(checks.readFromFiles() == []) }

  @Test func cutAnywhereNoFileDoesHarm() { #expect(checks.cuts() == []) }
}
