import EaselCore
import EaselTestCorpus
import Testing

@testable import EaselSVG

/// Every SVG of the corpus gives the result of its manifest.
@Suite(.enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  private let checks = CorpusChecks(SVGCoder(), format: "svg", drawingTolerance: 24, corpus: Corpus.otherFormats!)

  @Test func everyFileThatMustDecodeIsDrawn() {
    #expect(checks.entries(.decode).count > 150)
    #expect(checks.pictures() == [])
  }

  @Test func everyOtherFileIsDrawnOrAnError() { #expect(checks.damagedPictures() == []) }

  @Test func fromAFileEveryPictureIsTheSame() { #expect(checks.readFromFiles() == []) }

  @Test func cutAnywhereNoFileDoesHarm() { #expect(checks.cuts() == []) }
}
