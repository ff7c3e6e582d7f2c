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
    var grid = [UInt8](repeating: 0, count: 64)
    withUnsafeBytes { easel_corpus_grid($0.baseAddress, bytesPerRow, width, height, &grid) }
    return grid
  }
}
