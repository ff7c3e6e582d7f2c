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

  /// All frames of the sequences can be decoded, forwards and anew from the middle.
  @Test(arguments: [
    ("sdwebimage--TestImageAnimated.heics", 120, 40), ("nokia-conformance--C046.heic", 4, 20),
    ("nokia-conformance--MIAF006.heic", 3, 1000), ("pillow-heif--bird_burst.heic", 0, 0),
  ])
  func everySequencePlays(_ name: String, _ count: Int, _ milliseconds: Int) throws {
    let entry = try #require(checks.entries(.decode).first { $0.path.hasSuffix(name) })
    let image = try HEIFCoder().decode(
      Corpus.otherFormats!.bytes(of: entry), options: DecodeOptions(), work: WorkContext())
    // The still picture of the last one is of another size than its sequence.
    guard count > 0 else { return #expect(image.frames == nil) }
    let frames = try #require(image.frames)
    #expect(frames.count == count && frames.duration(at: 0) == .milliseconds(milliseconds))
    var shown: [Bitmap] = []
    for index in 0..<frames.count { shown.append(try frames.frame(at: index)) }
    #expect(shown[0] == image.bitmap && shown.last != image.bitmap)
    for index in [count / 2, count - 1, 1] { #expect(try frames.frame(at: index) == shown[index]) }
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
