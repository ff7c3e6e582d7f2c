import EaselCore
import EaselTestCorpus
import Testing

@testable import EaselBasic

/// Every picture of the corpus in these formats gives the result of its manifest.
@Suite(.enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  /// A format of the corpus and the least number of its files that must decode.
  struct Case: CustomTestStringConvertible, Sendable {
    let format: String
    let name: String
    let coder: any ImageCoder
    let leastPictures: Int

    var testDescription: String { name }
    var checks: CorpusChecks { CorpusChecks(coder, format: format, corpus: Corpus.otherFormats!) }
    var hasRejected: Bool { !checks.entries(.reject, .limit).isEmpty }
  }

  static let cases = [
    Case(format: "qoi", name: "QOI", coder: QOICoder(), leastPictures: 13),
    Case(format: "pnm", name: "PNM", coder: PNMCoder(), leastPictures: 50),
    Case(format: "bmp", name: "BMP", coder: BMPCoder(), leastPictures: 101),
    Case(format: "ico", name: "ICO", coder: ICOCoder(), leastPictures: 22),
  ]

  @Test(arguments: cases)
  func everyFileThatMustDecodeGivesItsPixels(_ format: Case) {
    #expect(format.checks.entries(.decode).count >= format.leastPictures)
    #expect(format.checks.pictures() == [])
  }

  @Test(arguments: cases)
  func everyDamagedFileIsAnErrorOrAPart(_ format: Case) {
    #expect(format.checks.damagedPictures() == [])
  }

  @Test(arguments: cases)
  func everyFileWithoutAPictureIsRejected(_ format: Case) {
    guard format.hasRejected else { return print("The corpus has no \(format.name) that must be rejected.") }
    #expect(format.checks.rejectedFiles(named: format.name) == [])
  }

  @Test(arguments: cases)
  func fromAFileEveryPictureIsTheSame(_ format: Case) { #expect(format.checks.readFromFiles() == []) }

  @Test(arguments: cases)
  func cutAnywhereNoFileDoesHarm(_ format: Case) { #expect(format.checks.cuts() == []) }

  @Test(arguments: cases)
  func whatMustDecodeIsRecognized(_ format: Case) throws {
    for entry in format.checks.entries(.decode) {
      let prefix = try format.checks.corpus.bytes(of: entry).prefix(CoderRegistry.sniffLength)
      let owners = Self.cases.filter { $0.coder.canDecode(prefix: prefix) }.map(\.name)
      #expect(owners == [format.name], "\(entry)")
    }
  }

  @Test func noOtherFormatIsRecognized() throws {
    let own = Set(Self.cases.map(\.format))
    var seen = 0
    for corpus in [Corpus.otherFormats, Corpus.shared].compactMap({ $0 }) {
      for entry in corpus.entries where !own.contains(entry.format) && entry.expectation == .decode {
        let prefix = try ImageBytes(contentsOfFile: corpus.path(of: entry)).prefix(CoderRegistry.sniffLength)
        let owners = Self.cases.filter { $0.coder.canDecode(prefix: prefix) }.map(\.name)
        #expect(owners == [], "\(entry)")
        seen += 1
      }
    }
    #expect(seen > 1000)
  }
}
