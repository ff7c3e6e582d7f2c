import EaselCore
import EaselTestCorpus
import Testing

@testable import EaselGIF

/// Every GIF of the corpus gives what its manifest says.
@Suite(.enabled(if: Corpus.shared != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  private let checks = CorpusChecks(
    GIFCoder(), format: "gif", corpus: Corpus.shared!, correctedGrids: CorpusTests.correctedGrids,
    sound: ["pillow--hopper_zero_comment_subblocks.gif"])

  // Of these files the manifest has the view of a decoder that makes the screen larger for a frame that sticks out, or
  // leaves the first frame where it is asked to restore what was before. What the format asks for was composed by an
  // independent script. A comment without content, at which giflib gives up, is none the worse for it.
  private static let correctedGrids: [String: (first: String?, last: String?)] = [
    "wuffs--frame-out-of-bounds.gif": (
      "0000ffff0000ffff1100ffff1100ffff0000ffff0000ffff1100ffff1100ffff"
        + "0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff",
      "0000ffff0000ffff1100ffff1100ffff0000ffff0000ffff1100ffff1100ffff"
        + "0088ffff0088ffff0099ffff0099ffff0088ffff0088ffff0099ffff0099ffff"
    ),
    "image-rs--issue_1455_oversized.gif": (
      "00000000000000000000000000000000000000000ce31ce30cd51ad503390739"
        + "000000000eff1fff0eff1fff0eff1fff000000000ce31ce30eff1fff0eff1fff", nil
    ),
    "libgd--dispose_previous.gif": (
      nil,
      "ffffffffffffffff0000ffff0000ffffffffffffffffffff0000ffff0000ffff"
        + "ffffffffffffffff0000ffff0000ffffffffffffffffffff0000ffff0000ffff"
    ),
  ]

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

  @Test func fromAFileEveryPictureIsTheSame() { #expect(checks.readFromFiles() == []) }

  @Test func cutAnywhereNoFileDoesHarm() { #expect(checks.cuts() == []) }
}
