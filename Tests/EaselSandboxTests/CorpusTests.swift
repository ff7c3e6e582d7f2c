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
import EaselTestTags
import EaselWebP
import Testing

/// In the sandbox every picture of the corpus gives the result of its manifest, too.
@Suite(.tags(.alone), .enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
struct CorpusTests {
  /// Large pictures take more memory than other tests allow.
  private static let sandbox = Sandbox(SandboxTesting.configuration(memoryBytes: 1 << 30))

  private static func checks(
    _ coder: any ImageCoder, _ format: String, isUpright: Bool = false, drawingTolerance: Int? = nil, _ corpus: Corpus
  ) -> CorpusChecks {
    CorpusChecks(
      SandboxedCoder(coder, in: sandbox), format: format, isUpright: isUpright, drawingTolerance: drawingTolerance,
      corpus: corpus)
  }

  private static let all: [CorpusChecks] = {
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
    // The formats go side by side, because no other test runs meanwhile.
    let failures = await withTaskGroup(of: [String].self) { group in
      for checks in Self.all {
        group.addTask {
          await withCheckedContinuation { continuation in
            PlainThread.start { continuation.resume(returning: checks.everyPicture() + checks.readFromFiles()) }
          }
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(failures == [])
  }
}
