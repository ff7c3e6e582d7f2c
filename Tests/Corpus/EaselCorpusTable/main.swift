import EaselAVIF
import EaselBasic
import EaselGIF
import EaselJPEG
import EaselPNG
import EaselTestCorpus
import EaselWebP
import Glibc

guard let corpus = Corpus.shared else {
  let text = Array("corpus-table: \(Corpus.skipReason)\n".utf8)
  _ = write(2, text, text.count)
  exit(2)
}
var table = CorpusTable()
// Each coder has a line here.
table.add(CorpusChecks(PNGCoder(), format: "png", corpus: corpus), named: "PNG") { $0 ?? 0 }
table.add(CorpusChecks(GIFCoder(), format: "gif", corpus: corpus), named: "GIF") { repeats in
  repeats.map { $0 == 0 ? 0 : $0 + 1 } ?? 1
}
table.add(CorpusChecks(JPEGCoder(), format: "jpeg", corpus: corpus), named: "JPEG") { $0 ?? 0 }
table.add(CorpusChecks(WebPCoder(), format: "webp", corpus: corpus), named: "WebP") { $0 ?? 0 }
if let corpus = Corpus.otherFormats {
  // The manifest does not tell how often an AVIF is played.
  table.add(
    CorpusChecks(AVIFCoder(), format: "avif", isUpright: true, corpus: corpus), named: "AVIF", plays: nil)
  table.add(CorpusChecks(QOICoder(), format: "qoi", corpus: corpus), named: "QOI") { $0 ?? 0 }
  table.add(CorpusChecks(PNMCoder(), format: "pnm", corpus: corpus), named: "PNM") { $0 ?? 0 }
  table.add(CorpusChecks(BMPCoder(), format: "bmp", corpus: corpus), named: "BMP") { $0 ?? 0 }
  table.add(CorpusChecks(ICOCoder(), format: "ico", corpus: corpus), named: "ICO") { $0 ?? 0 }
}
print(table.text)
exit(table.isRight ? 0 : 1)
