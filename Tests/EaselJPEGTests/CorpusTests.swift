import EaselCore
import EaselTestCorpus
import Testing

@testable import EaselJPEG

/// Every JPEG of the corpus gives the result of its manifest.
@Suite(.enabled(if: Corpus.shared != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  private let checks = CorpusChecks(JPEGCoder(), format: "jpeg", corpus: Corpus.shared!)

  @Test func everyFileThatMustDecodeGivesItsPixels() {
    #expect(checks.entries(.decode).count > 200)
    #expect(checks.pictures() == [])
  }

  @Test func everyDamagedFileIsAnErrorOrAPart() { #expect(checks.damagedPictures() == []) }

  /// Files at which other readers only warn, and whose pixels they agree on.
  @Test func filesWithSmallWoundsAreShown() {
    let shown = DamagePolicy.allCases.map { checks.lenientFiles(at: $0).shown }
    #expect(checks.entries(.lenient).count == 100 && shown == [14, 19, 81])
  }

  @Test func everyFileWithoutAPictureIsRejected() { #expect(checks.rejectedFiles(named: "JPEG") == []) }

  @Test(arguments: [1, 7, 4096])
  func inPiecesEveryFileGivesTheSame(length: Int) { #expect(checks.piecesOf(length) == []) }

  @Test func noMetadataAreOverlooked() {
    // A height after the pixels, and a comment whose length is 0.
    let unknown: Set = [
      "jpeg/valid/twelvemonkeys--dnl-marker.jpg", "jpeg/valid/wuffs--hippopotamus-bad-comment-length.jpeg",
    ]
    let (findings, cleanFiles) = checks.metadata(unknown: unknown)
    #expect(findings == [])
    #expect(cleanFiles > 20)
  }

  @Test func fromAFileEveryPictureIsTheSame() { #expect(checks.readFromFiles() == []) }

  @Test func cutAnywhereNoFileDoesHarm() { #expect(checks.cuts() == []) }
}
