import CEaselPixels
import EaselCore
import EaselSupport

/// Compares two pictures of the same size by their looks, over a grey background.
///
/// Bands of rows are compared separately, two at a time, and their errors are added in order. Every machine therefore
/// finds the same score.
struct VisualComparison: Sendable {
  private let original: Bitmap
  private let copy: Bitmap
  private let background: Float

  init(_ original: Bitmap, _ copy: Bitmap, over background: Float) {
    (self.original, self.copy, self.background) = (original, copy, background)
  }

  func score(work: WorkContext) throws(ImageError) -> Double {
    let (width, height) = (original.width, original.height)
    let rows = Self.rowsInBand(of: height)
    let count = (height + rows - 1) / rows
    let results = Locked([Result<easel_visual_sums, ImageError>?](repeating: nil, count: count))
    try ParallelBands.run(of: count, length: rows * width, work: work) { bands in
      for band in bands {
        let result = errors(in: band * rows..<min(height, (band + 1) * rows), work: work)
        results.withLock { $0[band] = result }
      }
    }
    var sums: [easel_visual_sums] = []
    for result in results.withLock({ $0 }) {
      if let result { sums.append(try result.get()) }
    }
    return easel_visual_score(width, height, sums, sums.count)
  }

  /// Returns the height of a band for four bands, so that two threads end at about the same time.
  ///
  /// There are not more, because each band also reads up to 256 rows beside its own.
  private static func rowsInBand(of height: Int) -> Int {
    let unit = Int(EASEL_VISUAL_ROWS)
    return (max(256, (height + 3) / 4) + unit - 1) / unit * unit
  }

  private func errors(in rows: Range<Int>, work: WorkContext) -> Result<easel_visual_sums, ImageError> {
    original.withUnsafeBytes { left in
      copy.withUnsafeBytes { right in
        do throws(ImageError) {
          var pair = easel_visual_pair()
          pair.pictures = (Self.picture(original, left), Self.picture(copy, right))
          (pair.width, pair.height, pair.background) = (original.width, original.height, background)
          return .success(try Self.errors(of: pair, in: rows, work: work))
        } catch {
          return .failure(error)
        }
      }
    }
  }

  private static func picture(_ bitmap: Bitmap, _ bytes: UnsafeRawBufferPointer) -> easel_visual_picture {
    easel_visual_picture(
      pixels: bytes.baseAddress, stride: bitmap.bytesPerRow, format: bitmap.format.kernel,
      alpha: bitmap.format.kernelAlpha, is_bgr: bitmap.format.layout == .bgra8)
  }

  private static func errors(
    of pair: easel_visual_pair, in rows: Range<Int>, work: WorkContext
  ) throws(ImageError) -> easel_visual_sums {
    var band: OpaquePointer?
    var pair = pair
    try check(easel_visual_band_create(&pair, rows.lowerBound, rows.upperBound, &band), "compare the pictures")
    defer { easel_visual_band_destroy(band) }
    // A pixel takes several times as long as in other kernels.
    let rowsAtOnce = CancellationPace.lines(of: pair.width * 8)
    while !easel_visual_band_run(band, rowsAtOnce) { try work.checkCancellation() }
    var sums = easel_visual_sums()
    easel_visual_band_sums(band, &sums)
    return sums
  }
}
