import CEaselTestCorpus
import EaselCore

extension Bitmap {
  /// The hash of straight or opaque RGBA8 pixels in the form of the manifest.
  package var corpusHash: String {
    precondition(format.layout == .rgba8 && format.alpha != .premultiplied)
    var digest = [UInt8](repeating: 0, count: 32)
    withUnsafeBytes { easel_corpus_hash($0.baseAddress, bytesPerRow, width, height, &digest) }
    return digest.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  /// The means of a four by four grid, premultiplied, in the form of the manifest.
  package var corpusGrid: [UInt8] {
    withUnsafeBytes { bytes in
      (0..<16).flatMap { cell -> [UInt8] in
        let rows = Self.part(cell / 4, of: height)
        let columns = Self.part(cell % 4, of: width)
        var sums = [0, 0, 0, 0]
        for y in rows {
          for x in columns {
            let start = y * bytesPerRow + x * 4
            let alpha = Int(bytes[start + 3])
            for component in 0..<3 { sums[component] += Int(bytes[start + component]) * alpha }
            sums[3] += alpha * 255
          }
        }
        let count = rows.count * columns.count * 255
        return sums.map { UInt8(($0 + count / 2) / count) }
      }
    }
  }

  private static func part(_ index: Int, of length: Int) -> Range<Int> {
    let start = min(length - 1, length * index / 4)
    return start..<max(start + 1, length * (index + 1) / 4)
  }
}
