import EaselAVIF
import EaselBasic
import EaselCore
import EaselGIF
import EaselHEIF
import EaselJPEG
import EaselJXL
import EaselPNG
import EaselSVG
import EaselSandbox
import EaselTIFF
import EaselTestCorpus
import EaselTestSupport
import EaselTestTags
import EaselWebP
import Testing

/// In the sandbox every picture of the corpus gives the result of its manifest, too.
@Suite(.tags(.alone), .enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  /// Large pictures take more memory than other tests allow.
  private static let sandbox = Sandbox(SandboxTesting.configuration(memoryBytes: 1 << 30))

  /// A format's checks of the coder in the sandbox, and of the same coder outside.
  private struct Pair: Sendable {
    let outside: CorpusChecks
    let inside: CorpusChecks
    let sandboxed: SandboxedCoder
  }

  private static func checks(
    _ coder: any ImageCoder, _ format: String, isUpright: Bool = false, drawingTolerance: Int? = nil, _ corpus: Corpus
  ) -> Pair {
    let sandboxed = SandboxedCoder(coder, in: sandbox)
    func checks(_ coder: any ImageCoder) -> CorpusChecks {
      CorpusChecks(
        coder, format: format, isUpright: isUpright, drawingTolerance: drawingTolerance, corpus: corpus)
    }
    return Pair(outside: checks(coder), inside: checks(sandboxed), sandboxed: sandboxed)
  }

  private static let all: [Pair] = {
    guard let older = Corpus.shared, let newer = Corpus.otherFormats else { return [] }
    // A sanitizer sees nothing of the libraries of others, and their large pictures take minutes under it.
    guard SandboxTesting.hasMemoryLimit else {
      return [
        checks(GIFCoder(), "gif", older), checks(QOICoder(), "qoi", newer), checks(PNMCoder(), "pnm", newer),
        checks(BMPCoder(), "bmp", newer), checks(ICOCoder(), "ico", newer),
      ]
    }
    return [
      checks(PNGCoder(), "png", older), checks(GIFCoder(), "gif", older), checks(JPEGCoder(), "jpeg", older),
      checks(WebPCoder(), "webp", older), checks(AVIFCoder(), "avif", isUpright: true, newer),
      checks(HEIFCoder(), "heic", isUpright: true, newer),
      checks(JXLCoder(), "jxl", isUpright: true, newer),
      checks(QOICoder(), "qoi", newer), checks(PNMCoder(), "pnm", newer), checks(BMPCoder(), "bmp", newer),
      checks(ICOCoder(), "ico", newer), checks(TIFFCoder(), "tiff", newer),
      checks(SVGCoder(), "svg", drawingTolerance: 24, newer),
    ]
  }()

  @Test func everyFileGivesWhatItsManifestSays() async {
    #expect(await Self.failures { $0.inside.everyPicture() + $0.inside.readFromFiles() } == [])
  }

  /// A library may read a file piece by piece, or have all of it in memory, and must not differ about its damage.
  @Test func everyDamagedFileEndsAlikeHoweverItsBytesArrive() async {
    let failures = await Self.failures {
      $0.outside.outcomes(with: $0.sandboxed) + $0.outside.outcomesOfCopies(with: $0.sandboxed)
    }
    #expect(failures == [])
  }

  @Test func eachLevelShowsOfDamagedFilesWhatTheOneBeforeShows() async {
    #expect(await Self.failures { $0.outside.levels() } == [])
  }

  /// The faults that a check finds in all formats, which go side by side, because no other test runs meanwhile.
  private static func failures(_ check: @escaping @Sendable (Pair) -> [String]) async -> [String] {
    await withTaskGroup(of: [String].self) { group in
      for pair in all {
        group.addTask { await runBlocking { check(pair) } }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
  }
}
