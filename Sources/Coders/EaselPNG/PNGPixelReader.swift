import EaselCoding
import EaselCore
import EaselPixels

/// Reads the pixels of one picture or frame while its bytes arrive.
///
/// A fast inflater reads the pixels first. If it finds damage, zlib reads them again from the start, describes the
/// damage, and delivers the rows before the damage.
final class PNGPixelReader {
  private let rows: PNGRows
  private let format: PixelFormat
  private let chunk: PNGChunk
  private var data: PNGDataReader
  /// The damage in the pixels, or in the chunks that hold them.
  private(set) var wound: Wound?
  private var isOver = false

  /// The size of a piece.
  ///
  /// It inflates to at most four megabytes, which takes a few milliseconds.
  private static let pieceBytes = 4096

  init(
    _ file: PNGFile, from chunk: PNGChunk, size: PixelSize, target: PixelSize, averagesLight: Bool = false,
    isWide: Bool
  ) throws(ImageError) {
    format = PixelFormat(isWide ? .rgba16 : .rgba8, alpha: file.pixelsHaveAlpha ? .straight : .opaque)
    rows = try PNGRows(
      file.layout(of: size, isWide: isWide), format: format, target: target, averagesLight: averagesLight)
    self.chunk = chunk
    data = PNGDataReader(from: chunk)
  }

  /// Continues reading where the last call stopped; `isWhole` means that no more bytes will come.
  func advance(over bytes: ImageBytes, isWhole: Bool, work: WorkContext) throws(ImageError) {
    try read(bytes, isWhole: isWhole, work: work)
    guard wound != nil, !rows.areStrict else { return }
    (wound, isOver) = (nil, false)
    data = PNGDataReader(from: chunk)
    try rows.restartStrictly()
    try read(bytes, isWhole: isWhole, work: work)
  }

  private func read(_ bytes: ImageBytes, isWhole: Bool, work: WorkContext) throws(ImageError) {
    var window = PNGWindow(bytes)
    var failure: ImageError?
    withUnsafeTemporaryAllocation(byteCount: Self.pieceBytes, alignment: 16) { buffer in
      do throws(ImageError) {
        while !isOver {
          try work.checkCancellation()
          guard try takePiece(of: bytes, &window, through: buffer) else { break }
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    if isWhole && !isOver {
      let place = rows.isComplete ? "without its last chunk" : "in the middle of the picture"
      stop(Wound("the file ends after \(bytes.count) bytes, \(place)", sparesPixels: rows.isComplete))
    }
  }

  private func takePiece(
    of bytes: ImageBytes, _ window: inout PNGWindow, through buffer: UnsafeMutableRawBufferPointer
  ) throws(ImageError) -> Bool {
    switch try data.next(of: bytes, &window, into: buffer) {
    case .bytes(let count):
      if let damage = try rows.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { stop(Wound(damage)) }
    case .waits: return false
    case .over: stop(rows.isComplete ? nil : Wound("the pixels end before the last row"))
    case .damaged(let damage): stop(Wound(damage))
    case .broken(let damage): stop(Wound(damage, sparesPixels: rows.isComplete))
    }
    return true
  }

  private func stop(_ wound: Wound?) {
    isOver = true
    self.wound = wound
  }

  /// A number that grows with every new row.
  var progress: Int { rows.progress }

  /// The picture so far; missing rows are transparent.
  var bitmap: Bitmap {
    var bitmap = rows.bitmap
    if !rows.isComplete && format.alpha == .opaque { bitmap.assumeAlpha(.straight) }
    return bitmap
  }
}
