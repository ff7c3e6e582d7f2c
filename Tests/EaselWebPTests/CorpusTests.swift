import EaselCore
import EaselTestCorpus
import Glibc
import Testing

@testable import EaselWebP

/// Every WebP of the corpus gives the result of its manifest.
@Suite(.enabled(if: Corpus.shared != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  private let checks = CorpusChecks(WebPCoder(), format: "webp", corpus: Corpus.shared!)

  @Test func everyFileThatMustDecodeGivesItsPixels() {
    #expect(checks.entries(.decode).count > 200)
    #expect(checks.pictures() == [])
  }

  @Test func everyMovingFileGivesItsFrames() {
    #expect(checks.movingPictures { $0 ?? 0 } == [])
  }

  /// The manifest's frames were blended by another version of libwebp; this coder must agree with the installed one.
  @Test func everyFrameIsThatOfLibwebpsPlayer() throws {
    for entry in checks.entries(.decode) where (entry.frameCount ?? 0) > 1 {
      let bytes = try checks.corpus.bytes(of: entry)
      let expected = try AnimationTests.played(bytes.array)
      let frames = try #require(try WebPTesting.decode(bytes) { $0.appliesOrientation = false }.frames, "\(entry)")
      #expect(frames.count == expected.count, "\(entry)")
      for index in 0..<min(frames.count, expected.count) {
        let isSame = try frames.frame(at: index).withUnsafeBytes { frame in
          expected[index].withUnsafeBytes { memcmp(frame.baseAddress!, $0.baseAddress!, $0.count) == 0 }
        }
        #expect(isSame, "\(entry), frame \(index)")
      }
    }
  }

  @Test func everyDamagedFileIsAnErrorOrAPart() { #expect(checks.damagedPictures() == []) }

  @Test func everyFileWithoutAPictureIsRejected() { #expect(checks.rejectedFiles(named: "WebP") == []) }

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
