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
import EaselWebP
import Glibc

let coders: [any ImageCoder] = [
  PNGCoder(), GIFCoder(), JPEGCoder(), WebPCoder(), AVIFCoder(), HEIFCoder(), JXLCoder(), TIFFCoder(), QOICoder(),
  PNMCoder(), BMPCoder(), ICOCoder(), SVGCoder(),
]
Sandbox.runIfWorker(coders: coders)
let sandbox = CommandLine.arguments.contains("--sandbox") ? Sandbox() : nil
/// The coder, in a sandbox if that is asked for.
func tried(_ coder: any ImageCoder) -> any ImageCoder { sandbox.map { SandboxedCoder(coder, in: $0) } ?? coder }

guard let corpus = Corpus.shared else {
  let text = Array("corpus-table: \(Corpus.skipReason)\n".utf8)
  _ = write(2, text, text.count)
  exit(2)
}
var table = CorpusTable()
// Each coder has a line here.
table.add(CorpusChecks(tried(PNGCoder()), format: "png", corpus: corpus), named: "PNG") { $0 ?? 0 }
table.add(CorpusChecks(tried(GIFCoder()), format: "gif", corpus: corpus), named: "GIF") { repeats in
  repeats.map { $0 == 0 ? 0 : $0 + 1 } ?? 1
}
table.add(CorpusChecks(tried(JPEGCoder()), format: "jpeg", corpus: corpus), named: "JPEG") { $0 ?? 0 }
table.add(CorpusChecks(tried(WebPCoder()), format: "webp", corpus: corpus), named: "WebP") { $0 ?? 0 }
if let corpus = Corpus.otherFormats {
  // The manifest does not tell how often an AVIF is played.
  table.add(
    CorpusChecks(tried(AVIFCoder()), format: "avif", isUpright: true, corpus: corpus), named: "AVIF", plays: nil)
  table.add(
    CorpusChecks(tried(HEIFCoder()), format: "heic", isUpright: true, corpus: corpus), named: "HEIF", plays: nil)
  table.add(
    CorpusChecks(tried(JXLCoder()), format: "jxl", isUpright: true, corpus: corpus), named: "JXL", plays: { $0 ?? 0 })
  table.add(CorpusChecks(tried(TIFFCoder()), format: "tiff", corpus: corpus), named: "TIFF") { $0 ?? 0 }
  table.add(CorpusChecks(tried(QOICoder()), format: "qoi", corpus: corpus), named: "QOI") { $0 ?? 0 }
  table.add(CorpusChecks(tried(PNMCoder()), format: "pnm", corpus: corpus), named: "PNM") { $0 ?? 0 }
  table.add(CorpusChecks(tried(BMPCoder()), format: "bmp", corpus: corpus), named: "BMP") { $0 ?? 0 }
  table.add(CorpusChecks(tried(ICOCoder()), format: "ico", corpus: corpus), named: "ICO") { $0 ?? 0 }
  table.add(
    CorpusChecks(tried(SVGCoder()), format: "svg", drawingTolerance: 24, corpus: corpus), named: "SVG", plays: nil)
}
print(table.text)
exit(table.isRight ? 0 : 1)
