import CEaselJPEG

/// The memory that decoding a file takes besides its pixels.
///
/// A file that is damaged in the middle may take more, because libjpeg-turbo reads it.
struct JPEGFootprint {
  private let file: JPEGFile
  private let hasOwnDecoder: Bool

  /// For each column of the picture: rows of blocks, of samples, and of what is made of them, also those of
  /// libjpeg-turbo if that goes on with a damaged file.
  private static let column = 320
  /// The decoder's tables, and the piece of the file at hand.
  private static let tables = 200 << 10
  /// The tables of a scan among several, its window and its piece of the file.
  private static let scan = 48 << 10
  /// What a second thread reads ahead, with the bytes for it.
  private static let secondThread = 2 << 20

  init(_ file: JPEGFile, hasOwnDecoder: Bool = easel_jpeg_has_own_decoder()) {
    self.file = file
    self.hasOwnDecoder = hasOwnDecoder
  }

  /// True if libjpeg-turbo reads the scans, and keeps all coefficients until the end.
  private var keepsCoefficients: Bool {
    !hasOwnDecoder || !file.isProgressive || file.isArithmetic || !file.hasUsualSamples || file.isRGB
  }

  /// Estimates the memory, from the length of the file, its number of scans, and whether it has its end.
  func bytes(ofFile count: Int, scans: Int, isWhole: Bool = true) -> Int {
    let fixed = file.size.width * Self.column + Self.tables
    guard file.hasSeveralScans else {
      // Also where no second thread may start, because headers are the same in a sandbox and outside.
      return fixed + (JPEGCoder.suitsTwoThreads(file.size, byteCount: count) ? Self.secondThread : 0)
    }
    guard isWhole && !keepsCoefficients else { return fixed + file.coefficientBytes / 8 * 9 }
    // While the bytes arrive, a block of 64 coefficients keeps its mean and a mask, 10 bytes, and one or two for each
    // level that is not zero, of which a byte of the file hardly tells more than two.
    return fixed + scans * Self.scan + file.coefficientBytes / 12 + min(file.coefficientBytes, 2 * count)
  }
}
